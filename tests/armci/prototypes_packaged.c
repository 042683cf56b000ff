/* Every prototype, type and value of the packaged flavour; in C++ by prototypes_packaged.cpp. The test also
 * compiles it against the distribution's own headers, with AS_DISTRIBUTED. */
#include <armci.h>
#include <armcix.h>
#include <message.h>
#include <mp3.h>

#include "prototypes.h"

LINKAGE_BEGIN
#include "prototypes_common.inc"
#include "prototypes_packaged.inc"
#ifndef AS_DISTRIBUTED
#include "prototypes_profiled.inc"
#endif
LINKAGE_END

/* Two communicators, which are pointers or ints as MPI has them, two pointers and two ints. */
HOLDS(sizeof(ARMCI_Group) == 2 * sizeof(MPI_Comm) + 24 && offsetof(ARMCI_Group, comm) == 0);
HOLDS(offsetof(ARMCI_Group, noncoll_pgroup_comm) == sizeof(MPI_Comm));
HOLDS(offsetof(ARMCI_Group, grp_to_abs) == 2 * sizeof(MPI_Comm));
HOLDS(offsetof(ARMCI_Group, abs_to_grp) == 2 * sizeof(MPI_Comm) + 8);
HOLDS(offsetof(ARMCI_Group, rank) == 2 * sizeof(MPI_Comm) + 16);
HOLDS(offsetof(ARMCI_Group, size) == 2 * sizeof(MPI_Comm) + 20);
HOLDS(sizeof(armci_hdl_t) == 8 && offsetof(armci_hdl_t, target) == 0 &&
      offsetof(armci_hdl_t, aggregate) == 4);
HOLDS(offsetof(armci_giov_t, bytes) == 16 && offsetof(armci_giov_t, ptr_array_len) == 20);
HOLDS(ARMCI_ACC_INT == 0 && ARMCI_ACC_LNG == 1 && ARMCI_ACC_FLT == 2);
HOLDS(ARMCI_ACC_DBL == 3 && ARMCI_ACC_CPL == 4 && ARMCI_ACC_DCP == 5);
HOLDS(ARMCI_FETCH_AND_ADD == 0 && ARMCI_FETCH_AND_ADD_LONG == 1);
HOLDS(ARMCI_SWAP == 2 && ARMCI_SWAP_LONG == 3);
HOLDS(SCOPE_ALL == 0 && SCOPE_NODE == 1 && SCOPE_MASTERS == 2);
HOLDS(ARMCI_INT == 0 && ARMCI_LONG == 1 && ARMCI_LONG_LONG == 2 && ARMCI_FLOAT == 3 && ARMCI_DOUBLE == 4);
HOLDS(ARMCI_MPI == 3 && sizeof(armcix_mutex_hdl_t) == sizeof(void*));

static const any_function functions[] = {
#include "names_common.inc"
#include "names_packaged.inc"
#ifndef AS_DISTRIBUTED
#include "names_profiled.inc"
#endif
};

int main(void) {
  return count_found(functions, sizeof functions / sizeof functions[0]);
}
