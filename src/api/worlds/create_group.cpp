// A group of some processes, made by them alone: they find each other by the list of who they are.
#include <comex/worlds.h>

#include <algorithm>
#include <memory>
#include <string>

#include "api/call.h"
#include "api/join_pairwise.h"
#include "api/sides.h"
#include "api/worlds/founding.h"
#include "api/worlds/groups.h"

namespace comex::api {

BridgeId bridge_among(const Runtime& runtime, BridgeId bridge, const groups::ConnectionTable& members) {
  return members.lies_below(static_cast<Lpid>(runtime.size())) ? no_bridge : bridge;
}

Communicator make_communicator(Runtime& runtime, const groups::Group& group) {
  if (group.bridge() != no_bridge || group.is_inter() || group.endpoints()) return {};
  std::vector<int> ranks;  // lpids of the own world
  for_each_lpid(group.members(), [&](Lpid lpid) { ranks.push_back(lpid); });
  constexpr std::uint64_t tags = 32000;
  const int tag = static_cast<int>(group.context() % tags);
  return join_pairwise(runtime.world->workers.get(), ranks, static_cast<std::size_t>(group.my_rank()), tag);
}

int create_group(Runtime& runtime, const char* operation, Founders founders, std::uint32_t my_endpoint,
                 comex_group_t* new_group) {
  const std::span<const Lpid> lpids = founders.lpids;
  const auto me = static_cast<Lpid>(runtime.me());
  std::uint32_t my_rank = 0;
  while (my_rank < lpids.size() && (lpids[my_rank] != me || founders.endpoints.of(my_rank) != my_endpoint)) {
    ++my_rank;
  }
  if (my_rank == lpids.size()) {
    if (!has_place(runtime, operation, new_group)) return COMEX_FAILURE;
    *new_group = COMEX_GROUP_NULL;
    return COMEX_SUCCESS;
  }
  const auto members = groups::ConnectionTable::from(lpids);
  founders.bridge = bridge_among(runtime, founders.bridge, members);
  const Result<std::uint64_t> context = Founding(runtime, operation, founders, my_rank).agree();
  if (!context) return runtime.reporter.fail({.operation = operation}, context.failure());
  auto group = std::make_unique<groups::Group>(context.value(), runtime.book.make_table(members),
                                               static_cast<int>(my_rank), founders.endpoints, groups::Table(),
                                               founders.bridge);
  const groups::Group& made = *group;
  GroupExtras extras = runtime.extras_of(made);
  op::GroupCollective& collective = *extras.collective;  // stays where it is
  const int handle = runtime.add_group(std::move(group), extras);
  std::string complaint;
  if (handle < 0) complaint = no_handle_left();
  if (new_group == nullptr) complaint = "the place for the new group is null";
  // All are here: what follows needs nobody's service.
  const bool all_can = collective.all_agree(complaint.empty());
  const bool whole = handle < 0 || is_whole(runtime, operation, made);
  if (!all_can || !whole) {
    if (handle >= 0) runtime.remove_group(handle);
    if (!whole) return COMEX_FAILURE;
    if (complaint.empty()) return failed_elsewhere(runtime);
    return runtime.reporter.fail({.operation = operation}, complaint);
  }
  runtime.extras(handle).comm = make_communicator(runtime, made);
  *new_group = handle;
  return COMEX_SUCCESS;
}

MPI_Comm communicator_of(Runtime& runtime, comex_group_t handle) {
  if (handle == COMEX_GROUP_WORLD) return runtime.world->workers.get();
  if (handle == COMEX_GROUP_SELF) return runtime.world->self.get();
  return runtime.extras(handle).comm.get();
}

std::string no_handle_left() {
  return "there are " + std::to_string(groups::max_groups) + " groups already";
}

}  // namespace comex::api
