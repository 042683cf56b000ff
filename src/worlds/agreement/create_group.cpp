// Makes a group of some processes; only these take part.
#include <comex/worlds.h>

#include <algorithm>
#include <memory>
#include <string>

#include "runtime/call.h"
#include "runtime/sides.h"
#include "worlds/agreement/create_group.h"

namespace comex::worlds {

BridgeId bridge_among(const runtime::Runtime& runtime, BridgeId bridge,
                      const groups::ConnectionTable& members) {
  return members.lies_below(static_cast<Lpid>(runtime.size())) ? no_bridge : bridge;
}

runtime::Communicator make_communicator(runtime::Runtime& runtime, const groups::Group& group) {
  if (group.bridge() != no_bridge || group.is_inter() || group.endpoints()) return {};
  std::vector<int> ranks;  // their lpids, which are ranks of the own world
  runtime::for_each_lpid(group.members(), [&](Lpid lpid) { ranks.push_back(lpid); });
  constexpr std::uint64_t tags = 32000;
  const int tag = static_cast<int>(group.context() % tags);
  return runtime::Communicator::of_ranks(runtime.world().workers.get(), ranks, tag);
}

namespace {

int my_rank_in(const runtime::Runtime& runtime, const ProposedGroup& proposed, std::uint32_t my_endpoint) {
  const auto me = static_cast<Lpid>(runtime.me());
  for (std::uint32_t rank = 0; rank < proposed.lpids.size(); ++rank) {
    if (proposed.lpids[rank] == me && proposed.endpoints.of(rank) == my_endpoint)
      return static_cast<int>(rank);
  }
  return -1;
}

// All members are here, so the steps that follow need nobody's service.
Created all_go_on_with(runtime::Runtime& runtime, const char* operation, op::GroupCollective& all,
                       BridgeId bridge, const std::string& complaint) {
  const bool all_can = all.all_agree(complaint.empty());
  if (!all.is_whole() && bridge == no_bridge) return Created::member_died;
  if (!runtime.why_lost(bridge).empty()) return Created::bridge_is_lost;
  if (!complaint.empty()) {
    runtime.reporter().fail({.operation = operation}, complaint);
  } else if (!all_can) {
    runtime::failed_elsewhere(runtime);
  }
  return all_can ? Created::yes : Created::no;
}

}  // namespace

Created try_to_create_group(runtime::Runtime& runtime, const char* operation, const ProposedGroup& wanted,
                            std::uint32_t my_endpoint, comex_group_t* new_group) {
  const int my_rank = my_rank_in(runtime, wanted, my_endpoint);
  if (my_rank < 0) {
    if (!runtime::has_place(runtime, operation, new_group)) return Created::no;
    *new_group = COMEX_GROUP_NULL;
    return Created::yes;
  }
  const auto members = groups::ConnectionTable::from(wanted.lpids);
  ProposedGroup proposed = wanted;
  proposed.bridge = bridge_among(runtime, proposed.bridge, members);
  const Result<std::uint64_t> context =
      commit_group(runtime, operation, proposed, static_cast<std::uint32_t>(my_rank));
  if (!context) {
    if (!runtime.why_lost(proposed.bridge).empty()) return Created::bridge_is_lost;
    if (groups::MemberFailures(runtime.world().failures, members).any()) return Created::member_died;
    runtime.reporter().fail({.operation = operation}, context.failure());
    return Created::no;
  }
  auto group = std::make_unique<groups::Group>(context.value(), runtime.registry().make_table(members),
                                               my_rank, proposed.endpoints, groups::Table(), proposed.bridge);
  const groups::Group& made = *group;
  runtime::GroupExtras extras = runtime.extras_of(made);
  op::GroupCollective& collective = *extras.collective;  // its address does not change
  const int handle = runtime.add_group(std::move(group), extras);
  std::string complaint;
  if (handle < 0) complaint = no_handle_left();
  if (new_group == nullptr) complaint = "the place for the new group is null";
  const Created created = all_go_on_with(runtime, operation, collective, proposed.bridge, complaint);
  if (created != Created::yes) {
    if (handle >= 0) runtime.remove_group(handle);
    return created;
  }
  runtime.extras(handle).comm = make_communicator(runtime, made);
  *new_group = handle;
  return created;
}

int create_group(runtime::Runtime& runtime, const char* operation, const ProposedGroup& proposed,
                 std::uint32_t my_endpoint, comex_group_t* new_group) {
  switch (try_to_create_group(runtime, operation, proposed, my_endpoint, new_group)) {
    case Created::yes:
      return COMEX_SUCCESS;
    case Created::bridge_is_lost:
      return runtime.reporter().fail({.operation = operation}, runtime.why_lost(proposed.bridge));
    case Created::member_died:
      return COMEX_PROC_FAILED;
    case Created::no:
      break;
  }
  return COMEX_FAILURE;
}

MPI_Comm communicator_of(runtime::Runtime& runtime, comex_group_t handle) {
  if (handle == COMEX_GROUP_WORLD) return runtime.world().workers.get();
  if (handle == COMEX_GROUP_SELF) return runtime.world().self.get();
  return runtime.extras(handle).comm.get();
}

std::string no_handle_left() {
  return "there are " + std::to_string(groups::max_groups) + " groups already";
}

}  // namespace comex::worlds
