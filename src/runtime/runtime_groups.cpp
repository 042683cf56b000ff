// The runtime's data for the groups behind the program's handles: contexts, collectives, extras.
#include <string>

#include "groups/participants.h"
#include "runtime/caller.h"
#include "runtime/runtime.h"

namespace comex::runtime {

std::uint64_t Runtime::new_context() {
  const auto context = groups::made_context(size(), me(), groups_made_++);
  if (!context) {
    reporter_.fatal({}, "this worker has made " + std::to_string(groups::most_made_contexts(size())) +
                            " groups, as many as one of a world of " + std::to_string(size()) + " can");
  }
  return *context;
}

ControlRoute Runtime::route_to(BridgeId bridge, Lpid lpid) {
  if (bridge != no_bridge) return other_worlds_->route_to(bridge, lpid);
  if (!is_own(lpid)) return {};
  return {&control_, place(static_cast<Worker>(lpid)).rank};
}

op::Membership Runtime::membership_of(const groups::Group& group) {
  const groups::Participants all = groups::participants(group, registry_);
  op::Membership membership;
  membership.size = all.members.size();
  membership.me = all.my_index;
  membership.context = group.context();
  membership.has_endpoints = static_cast<bool>(group.endpoints());
  const groups::BothSides members(group, all.is_low);
  const bool is_inter = group.is_inter();
  membership.name_of = [members, is_inter, is_low = all.is_low,
                        low_size = all.low_size](std::uint32_t member) {
    const bool is_of_low = member < low_size;
    const op::MemberName by_process{members.lpid(member)};
    if (is_inter && is_of_low == is_low) return by_process;  // ranks are those of the other side
    return op::MemberName{by_process.lpid, static_cast<int>(is_of_low ? member : member - low_size)};
  };
  membership.rank_of = [this, members, bridge = group.bridge()](std::uint32_t member) {
    return route_to(bridge, members.lpid(member)).rank;
  };
  return membership;
}

GroupExtras Runtime::extras_of(const groups::Group& group) {
  op::ControlMessages& over = *route_to(group.bridge(), group.members().lpid(0)).control;
  GroupExtras made;
  op::Membership membership = membership_of(group);
  if (world_->failures.are_watched()) {
    made.failures = std::make_unique<groups::MemberFailures>(world_->failures,
                                                             groups::participants(group, registry_).members);
    membership.has_dead = [of = made.failures.get()] { return of->any(); };
  }
  made.collective = std::make_unique<op::GroupCollective>(engine_, over, std::move(membership));
  return made;
}

// Freeing a communicator is collective, and handles differ from member to member: so in the order of
// contexts.
Runtime::~Runtime() {
  std::map<std::uint64_t, Communicator*> by_context;
  for (auto& [handle, extras] : extras_) {
    if (const groups::Group* const group = groups_.find(handle))
      by_context.emplace(group->context(), &extras.comm);
  }
  for (const auto& [context, comm] : by_context) *comm = Communicator();
}

bool Runtime::has_dead_member(int handle) const {
  if (world_->failures.epoch() == 0) [[likely]]
    return false;
  const std::lock_guard lock(extras_mutex_);
  const auto found = extras_.find(handle);
  return found != extras_.end() && found->second.failures != nullptr && found->second.failures->any();
}

bool Runtime::has_lost(const Reach& target) {
  const op::Engine::Lock lock = engine_.enter();
  return target.remote->is_lost(target.place.server);
}

bool Runtime::has_lost_member(const groups::Group& group) {
  const groups::ConnectionTable members = groups::participants(group, registry_).members;
  const op::Engine::Lock lock = engine_.enter();
  for (std::uint32_t member = 0; member < members.size(); ++member) {
    const Lpid lpid = members.lpid(member);
    if (is_own(lpid) && remote_.is_lost(place(static_cast<Worker>(lpid)).server)) return true;
  }
  return false;
}

int Runtime::add_group(std::unique_ptr<groups::Group> group, GroupExtras& extras) {
  const int handle = groups_.add(std::move(group));
  if (handle < 0) return handle;
  extras.collective->set_handle(handle);
  const std::lock_guard lock(extras_mutex_);
  if (handle != groups::world_handle) activity_.enter_group(groups_.find(handle)->context());
  extras_.insert_or_assign(handle, std::move(extras));
  return handle;
}

GroupExtras& Runtime::extras(int handle) {
  const std::lock_guard lock(extras_mutex_);
  return extras_.at(handle);
}

void Runtime::remove_group(int handle) {
  const std::uint32_t endpoint = groups_.find(handle)->my_endpoint();
  const std::uint64_t context = groups_.find(handle)->context();
  other_worlds_->on_group_removed(handle);
  {
    std::map<int, GroupExtras>::node_type taken;  // destroyed after the lock is released
    const std::lock_guard lock(extras_mutex_);
    taken = extras_.extract(handle);
    // MPI may wait for all members where a communicator is freed.
    if (taken.mapped().failures != nullptr && taken.mapped().failures->any()) taken.mapped().comm.forget();
    activity_.leave_group(context);
  }
  groups_.remove(handle);  // another thread may get the handle from here on
  if (endpoint == groups::process_itself || has_handle(endpoint)) return;
  endpoints_gone_.fetch_add(1, std::memory_order_release);
  stop_driving(reporter_.run(), endpoint);
}

bool Runtime::has_handle(std::uint32_t endpoint) const {
  return groups_.any_of([&](int, const groups::Group& group) { return group.my_endpoint() == endpoint; });
}

}  // namespace comex::runtime
