// Groups of the packaged interface are structures that programs copy. Their communicator identifies the
// group.
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
  int size = 0;
  int workers = 0;
  comex_group_size(group, &size);
  comex_group_size(COMEX_GROUP_WORLD, &workers);
  record->from_world.assign(static_cast<std::size_t>(workers), -1);
  for (int rank = 0; rank < size; ++rank) {
    int world = 0;
    comex_group_translate_world(group, rank, &world);
    record->to_world.push_back(world);
    record->from_world[static_cast<std::size_t>(world)] = rank;
  }
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
