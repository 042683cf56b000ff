// The calls that make groups from groups: duplicates, parts, endpoints.
#include <comex/worlds.h>

#include <algorithm>
#include <vector>

#include "groups/participants.h"
#include "runtime/call.h"
#include "worlds/agreement/agree.h"
#include "worlds/agreement/create_group.h"
#include "worlds/agreement/deadline.h"

namespace comex::calls {
namespace {

using groups::Group;

// The contribution of each member to a collective that makes groups. Travels as bytes.
struct Proposal {
  std::int32_t color = 0;  // of a split
  std::int32_t key = 0;
  std::uint64_t context = 0;  // for the group, if this member is its rank 0
  groups::EndpointArguments endpoints;
};

// The parent's ranks with this color, by key, then by rank.
std::vector<std::uint32_t> part_of(std::span<const Proposal> all, std::int32_t color) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].color == color) ranks.push_back(rank);
  }
  std::ranges::stable_sort(ranks, {}, [&all](std::uint32_t rank) { return all[rank].key; });
  return ranks;
}

// Returns a handle for a group, or -1 if none is left.
comex_group_t add(runtime::Runtime& runtime, std::unique_ptr<Group> group) {
  runtime::GroupExtras extras = runtime.extras_of(*group);
  return runtime.add_group(std::move(group), extras);
}

// One of the two tables of a part: the chosen ranks of one side of the parent.
std::vector<std::uint32_t> side_of(std::span<const std::uint32_t> participants, std::uint32_t from,
                                   std::uint32_t to) {
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t each : participants) {
    if (each >= from && each < to) ranks.push_back(each - from);
  }
  return ranks;
}

// The part of the caller's own color; null if there is no such part.
std::unique_ptr<Group> part_with(runtime::Runtime& runtime, const Group& parent,
                                 std::span<const Proposal> all, int color) {
  if (color == MPI_UNDEFINED) return nullptr;
  const groups::Participants participants = groups::participants(parent, runtime.registry());
  const std::vector<std::uint32_t> members = part_of(all, color);
  const auto size = static_cast<std::uint32_t>(all.size());
  const auto low = side_of(members, 0, participants.low_size);
  const auto high = side_of(members, participants.low_size, size);
  const auto& local = participants.is_low ? low : high;
  const auto& remote = participants.is_low ? high : low;
  if (parent.is_inter() && remote.empty()) return nullptr;
  groups::Table near = runtime.registry().subset(parent.table(), local);
  groups::Table far;
  BridgeId bridge = worlds::bridge_among(runtime, parent.bridge(), near.members());
  if (parent.is_inter()) {
    far = runtime.registry().subset(parent.remote_table(), remote);
    if (bridge == no_bridge) bridge = worlds::bridge_among(runtime, parent.bridge(), far.members());
  }
  const auto at = std::ranges::find(local, static_cast<std::uint32_t>(parent.my_rank())) - local.begin();
  return std::make_unique<Group>(all[members.front()].context, std::move(near), static_cast<int>(at),
                                 parent.endpoints().subset(local), std::move(far), bridge);
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_group_dup(comex_group_t group, comex_group_t* dup) {
  const char* name = "group_dup";
  const auto [runtime, found] = runtime::enter_group(name, group);
  if (found == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, group);
  Proposal mine;
  mine.context = runtime->context_over(found->bridge());
  const auto all =
      worlds::agree(*runtime, name, group, mine, dup == nullptr ? "the place for the result is null" : "");
  if (all.empty()) return worlds::code_of_failure(*runtime, group);
  auto made =
      std::make_unique<groups::Group>(all.front().context, found->table().dup(), found->my_rank(),
                                      found->endpoints(), found->remote_table().dup(), found->bridge());
  const comex_group_t handle = add(*runtime, std::move(made));
  if (!worlds::all_have(*runtime, name, group, std::span(&handle, 1)))
    return worlds::code_of_failure(*runtime, group);
  const MPI_Comm comm = worlds::communicator_of(*runtime, group);
  if (comm != MPI_COMM_NULL) {
    const worlds::TimeLimit limit = worlds::limit_communicator(*runtime, name, found->members());
    runtime->extras(handle).comm = runtime::Communicator::duplicate(comm);
  }
  *dup = handle;
  return COMEX_SUCCESS;
}

int comex_group_split(comex_group_t group, int color, int key, comex_group_t* part) {
  const char* name = "group_split";
  const auto [runtime, found] = runtime::enter_group(name, group);
  if (found == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, group);
  std::string complaint;
  if (part == nullptr) complaint = "the place for the result is null";
  if (color < 0 && color != MPI_UNDEFINED) {
    complaint = "the color is " + std::to_string(color) + "; it must not be negative, or be MPI_UNDEFINED";
  }
  Proposal mine;
  mine.color = color;
  mine.key = key;
  mine.context = runtime->context_over(found->bridge());
  const auto all = worlds::agree(*runtime, name, group, mine, complaint);
  if (all.empty()) return worlds::code_of_failure(*runtime, group);

  std::vector<comex_group_t> made;
  auto new_part = part_with(*runtime, *found, all, color);
  if (new_part != nullptr) made.push_back(add(*runtime, std::move(new_part)));
  if (!worlds::all_have(*runtime, name, group, made)) return worlds::code_of_failure(*runtime, group);
  const MPI_Comm comm = worlds::communicator_of(*runtime, group);
  runtime::Communicator part_comm;
  if (comm != MPI_COMM_NULL) {
    const worlds::TimeLimit limit = worlds::limit_communicator(*runtime, name, found->members());
    part_comm = runtime::Communicator::split(comm, color, key);
  } else if (!made.empty()) {
    part_comm = worlds::make_communicator(*runtime, name, *runtime->groups().find(made.front()));
  }
  if (!made.empty()) runtime->extras(made.front()).comm = std::move(part_comm);
  *part = made.empty() ? COMEX_GROUP_NULL : made.front();
  return COMEX_SUCCESS;
}

int comex_group_create_endpoints(comex_group_t parent, int my_count, comex_group_t handles[]) {
  const char* name = "group_create_endpoints";
  const auto [runtime, found] = runtime::enter_group(name, parent);
  if (found == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, parent);
  std::string complaint;
  if (my_count < 0 || my_count > groups::max_groups || (my_count > 0 && handles == nullptr)) {
    complaint = "the count is " + std::to_string(my_count) + "; it needs one from 0 to " +
                std::to_string(groups::max_groups) + " and a place for as many handles";
  }
  if (found->is_inter()) complaint = "an inter-group has no endpoints; its merged group can have some";
  const auto count = static_cast<std::uint32_t>(complaint.empty() ? my_count : 0);
  Proposal mine;
  mine.context = runtime->context_over(found->bridge());
  mine.endpoints = {count, runtime->draw_endpoints(count)};
  const auto all = worlds::agree(*runtime, name, parent, mine, complaint);
  if (all.empty()) return worlds::code_of_failure(*runtime, parent);

  std::vector<groups::EndpointArguments> all_arguments;
  for (const Proposal& each : all) all_arguments.push_back(each.endpoints);
  const auto my_rank = static_cast<std::uint32_t>(found->my_rank());
  const groups::EndpointLayout layout =
      groups::lay_out_endpoints(found->members().lpids(), all_arguments, my_rank);
  const groups::Endpoints endpoints(layout.ids);
  std::vector<comex_group_t> made;
  if (count != 0) {
    const groups::Table table = runtime->registry().make_table(layout.members);
    const BridgeId bridge = worlds::bridge_among(*runtime, found->bridge(), table.members());
    for (std::uint32_t i = 0; i < count; ++i) {
      made.push_back(add(*runtime, std::make_unique<groups::Group>(all.front().context, table.dup(),
                                                                   static_cast<int>(layout.first_rank + i),
                                                                   endpoints, groups::Table(), bridge)));
    }
  }
  if (!worlds::all_have(*runtime, name, parent, made)) return worlds::code_of_failure(*runtime, parent);
  std::ranges::copy(made, handles);
  return COMEX_SUCCESS;
}
