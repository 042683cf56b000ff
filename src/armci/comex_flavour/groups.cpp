// Groups of the ComEx interface are the handles of comex.h.
#include "armci/export.h"
#include "armci/state.h"

namespace comex::armci {

void fill_group(comex_group_t handle, ARMCI_Group* group) {
  *group = handle;
}
void forget_group(comex_group_t) {}

}  // namespace comex::armci

COMEX_C MPI_Comm armci_group_comm(ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  MPI_Comm comm = MPI_COMM_NULL;
  comex_group_comm(*group, &comm);
  return comm;
}
