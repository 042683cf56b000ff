/* Every prototype, type and value of the ComEx flavour; in C++ by prototypes_comex.cpp. */
#include <armci.h>
#include <comex/armci.h>
#include <iterator.h>
#include <message.h>
#include <parmci.h>

#include "prototypes.h"

LINKAGE_BEGIN
#undef armci_msg_sel
#include "prototypes_comex.inc"
#include "prototypes_common.inc"
#include "prototypes_profiled.inc"
LINKAGE_END

HOLDS(sizeof(ARMCI_Group) == sizeof(int) && sizeof(armci_hdl_t) == sizeof(int));
HOLDS(offsetof(armci_giov_t, ptr_array_len) == 16 && offsetof(armci_giov_t, bytes) == 20);
HOLDS(ARMCI_SWAP == 10 && ARMCI_SWAP_LONG == 11);
HOLDS(ARMCI_FETCH_AND_ADD == 12 && ARMCI_FETCH_AND_ADD_LONG == 13);
HOLDS(ARMCI_ACC_OFF == 36 && ARMCI_ACC_INT == 37 && ARMCI_ACC_DBL == 38 && ARMCI_ACC_FLT == 39);
HOLDS(ARMCI_ACC_CPL == 40 && ARMCI_ACC_DCP == 41 && ARMCI_ACC_LNG == 42);
HOLDS(ARMCI_INT == -99 && ARMCI_LONG == -101 && ARMCI_LONG_LONG == -102);
HOLDS(ARMCI_FLOAT == -306 && ARMCI_DOUBLE == -307);
HOLDS(SCOPE_ALL == 333 && SCOPE_NODE == 337 && SCOPE_MASTERS == 339);
HOLDS(FAIL == -1 && FAIL2 == -2 && FAIL3 == -3 && FAIL4 == -4);
HOLDS(FAIL5 == -5 && FAIL6 == -6 && FAIL7 == -7 && FAIL8 == -8);
HOLDS(offsetof(armci_meminfo_t, armci_addr) == 0 && offsetof(armci_meminfo_t, addr) == 8);
HOLDS(offsetof(armci_meminfo_t, size) == 16 && offsetof(armci_meminfo_t, cpid) == 24);
HOLDS(offsetof(armci_meminfo_t, idlist) == 32 && sizeof(armci_meminfo_t) == 32 + 128 * sizeof(long));

static const any_function functions[] = {
#include "names_comex.inc"
#include "names_common.inc"
#include "names_profiled.inc"
};

int main(void) {
  const MPI_Comm* world = &ARMCI_COMM_WORLD;
  if (*world != MPI_COMM_NULL || mp_group_name == NULL) return 1;
  return count_found(functions, sizeof functions / sizeof functions[0]);
}
