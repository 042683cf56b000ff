// The calls that make groups by color, and copies of groups.
#include <comex/worlds.h>
#include <mpi.h>

#include "armci/export.h"
#include "armci/state.h"

using namespace comex::armci;

namespace {

int hand_out(int result, comex_group_t made, ARMCI_Group* new_group) {
  if (made != COMEX_GROUP_NULL) state().add_teams(made);
  fill_group(made, new_group);
  return result;
}

}  // namespace

COMEX_C int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* new_group) {
  const comex::runtime::CallName called(__func__);
  comex_group_t made = COMEX_GROUP_NULL;
  const int result = comex_group_split(handle_of(parent), color < 0 ? MPI_UNDEFINED : color, key, &made);
  return hand_out(result, made, new_group);
}

COMEX_C int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* new_group) {
  const comex::runtime::CallName called(__func__);
  comex_group_t made = COMEX_GROUP_NULL;
  const int result = comex_group_dup(handle_of(parent), &made);
  return hand_out(result, made, new_group);
}
