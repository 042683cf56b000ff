// Groups of the packaged interface are structures that programs copy. Their communicator identifies the
// group. Some are made by color, or are copies of others.
#include <comex/worlds.h>
#include <mpi.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "armci/state.h"

namespace comex::armci {
namespace {

// The structures of one group point to this.
struct GroupRecord {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> to_world;
  std::vector<int> from_world;
  int rank = -1;
};

struct Records {
  std::mutex lock;
  std::map<comex_group_t, std::unique_ptr<GroupRecord>> of_group;
};

Records& records() {
  static Records* only = new Records;  // never destroyed, like the façade's state
  return *only;
}

std::unique_ptr<GroupRecord> describe(comex_group_t group) {
  auto record = std::make_unique<GroupRecord>();
  comex_group_comm(group, &record->comm);
  comex_group_rank(group, &record->rank);
  int workers = 0;
  comex_group_size(COMEX_GROUP_WORLD, &workers);
  record->from_world.assign(static_cast<std::size_t>(workers), -1);
  record->to_world = world_ranks(group);
  for (int rank = 0; const int world : record->to_world)
    record->from_world[static_cast<std::size_t>(world)] = rank++;
  return record;
}

}  // namespace

comex_group_t handle_of(const ARMCI_Group* group) {
  if (group->comm == MPI_COMM_NULL) return COMEX_GROUP_NULL;
  Records& all = records();
  const std::lock_guard lock(all.lock);
  // Handles of MPI have no order, and those of freed communicators may only be compared.
  const auto is_it = [group](const auto& each) { return each.second->comm == group->comm; };
  const auto found = std::ranges::find_if(all.of_group, is_it);
  if (found == all.of_group.end()) comex_error("a group that does not exist, or was freed", 1);
  return found->first;
}

void fill_group(comex_group_t handle, ARMCI_Group* group) {
  if (handle == COMEX_GROUP_NULL) {
    *group = {MPI_COMM_NULL, MPI_COMM_NULL, nullptr, nullptr, -1, 0};
    return;
  }
  Records& all = records();
  const std::lock_guard lock(all.lock);
  std::unique_ptr<GroupRecord>& record = all.of_group[handle];
  if (!record) record = describe(handle);
  *group = {record->comm,
            MPI_COMM_NULL,
            record->to_world.data(),
            record->from_world.data(),
            record->rank,
            static_cast<int>(record->to_world.size())};
}

void forget_group(comex_group_t handle) {
  Records& all = records();
  const std::lock_guard lock(all.lock);
  all.of_group.erase(handle);
}

void open_flavour() {}
void close_flavour() {}

}  // namespace comex::armci

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
