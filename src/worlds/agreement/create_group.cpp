// A group of some processes, made by them alone: they find each other by the list of who they are.
#include <comex/worlds.h>

#include <algorithm>
#include <memory>
#include <string>

#include "runtime/call.h"
#include "runtime/sides.h"
#include "worlds/agreement/founding.h"
#include "worlds/agreement/groups.h"

namespace comex::worlds {

BridgeId bridge_among(const runtime::Runtime& runtime, BridgeId bridge,
                      const groups::ConnectionTable& members) {
  return members.lies_below(static_cast<Lpid>(runtime.size())) ? no_bridge : bridge;
}

runtime::Communicator make_communicator(runtime::Runtime& runtime, const groups::Group& group) {
  if (group.bridge() != no_bridge || group.is_inter() || group.endpoints()) return {};
  std::vector<int> ranks;  // lpids of the own world
  runtime::for_each_lpid(group.members(), [&](Lpid lpid) { ranks.push_back(lpid); });
  constexpr std::uint64_t tags = 32000;
  const int tag = static_cast<int>(group.context() % tags);
  return runtime::Communicator::of_ranks(runtime.world->workers.get(), ranks, tag);
}

Making make_group(runtime::Runtime& runtime, const char* operation, Founders founders,
                  std::uint32_t my_endpoint, comex_group_t* new_group) {
  const std::span<const Lpid> lpids = founders.lpids;
  const auto me = static_cast<Lpid>(runtime.me());
  std::uint32_t my_rank = 0;
  while (my_rank < lpids.size() && (lpids[my_rank] != me || founders.endpoints.of(my_rank) != my_endpoint)) {
    ++my_rank;
  }
  if (my_rank == lpids.size()) {
    if (!runtime::has_place(runtime, operation, new_group)) return Making::failed;
    *new_group = COMEX_GROUP_NULL;
    return Making::done;
  }
  const auto members = groups::ConnectionTable::from(lpids);
  founders.bridge = bridge_among(runtime, founders.bridge, members);
  Founding founding(runtime, operation, founders, my_rank);
  const Result<std::uint64_t> context = founding.agree();
  if (!context && founding.is_cut_off()) return Making::cut_off;
  if (!context) {
    runtime.reporter.fail({.operation = operation}, context.failure());
    return Making::failed;
  }
  auto group = std::make_unique<groups::Group>(context.value(), runtime.book.make_table(members),
                                               static_cast<int>(my_rank), founders.endpoints, groups::Table(),
                                               founders.bridge);
  const groups::Group& made = *group;
  runtime::GroupExtras extras = runtime.extras_of(made);
  op::GroupCollective& collective = *extras.collective;  // stays where it is
  const int handle = runtime.add_group(std::move(group), extras);
  std::string complaint;
  if (handle < 0) complaint = no_handle_left();
  if (new_group == nullptr) complaint = "the place for the new group is null";
  // All are here: what follows needs nobody's service.
  const bool all_can = collective.all_agree(complaint.empty());
  const bool whole = handle < 0 || runtime.why_lost(founders.bridge).empty();
  if (!all_can || !whole) {
    if (handle >= 0) runtime.remove_group(handle);
    if (!whole) return Making::cut_off_at_the_end;
    if (complaint.empty()) {
      runtime::failed_elsewhere(runtime);
    } else {
      runtime.reporter.fail({.operation = operation}, complaint);
    }
    return Making::failed;
  }
  runtime.extras(handle).comm = make_communicator(runtime, made);
  *new_group = handle;
  return Making::done;
}

int create_group(runtime::Runtime& runtime, const char* operation, const Founders& founders,
                 std::uint32_t my_endpoint, comex_group_t* new_group) {
  const Making making = make_group(runtime, operation, founders, my_endpoint, new_group);
  if (making == Making::done) return COMEX_SUCCESS;
  if (making == Making::failed) return COMEX_FAILURE;
  return runtime.reporter.fail({.operation = operation}, runtime.why_lost(founders.bridge));
}

MPI_Comm communicator_of(runtime::Runtime& runtime, comex_group_t handle) {
  if (handle == COMEX_GROUP_WORLD) return runtime.world->workers.get();
  if (handle == COMEX_GROUP_SELF) return runtime.world->self.get();
  return runtime.extras(handle).comm.get();
}

std::string no_handle_left() {
  return "there are " + std::to_string(groups::max_groups) + " groups already";
}

}  // namespace comex::worlds
