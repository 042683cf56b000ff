// Makes a group of some processes; only these take part.
//
// They find each other by the list of members, which names the control messages that carry the words of the
// group commit. So several groups can be made at once.
#include <comex/worlds.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/diagnose.h"
#include "groups/participants.h"
#include "runtime/call.h"
#include "worlds/agreement/create_group.h"
#include "worlds/agreement/deadline.h"
#include "worlds/agreement/group_commit.h"
#include "worlds/joined_worlds.h"

namespace comex::worlds {

BridgeId bridge_among(const runtime::Runtime& runtime, BridgeId bridge,
                      const groups::ConnectionTable& members) {
  return members.lies_below(static_cast<Lpid>(runtime.size())) ? no_bridge : bridge;
}

runtime::Communicator make_communicator(runtime::Runtime& runtime, const char* operation,
                                        const groups::Group& group) {
  if (group.bridge() != no_bridge || group.is_inter() || group.endpoints()) return {};
  std::vector<int> ranks;  // their lpids, which are ranks of the own world
  groups::for_each_lpid(group.members(), [&](Lpid lpid) { ranks.push_back(lpid); });
  constexpr std::uint64_t tags = 32000;
  const int tag = static_cast<int>(group.context() % tags);
  const TimeLimit limit = limit_communicator(runtime, operation, group.members());
  return runtime::Communicator::of_ranks(runtime.world().workers.get(), ranks, tag);
}

namespace {

// The processes of a list, cut if there are many.
std::string text_of(std::span<const Gpid> gpids) {
  constexpr std::size_t most = 90;
  std::string text;
  for (const Gpid gpid : gpids) {
    const std::string next = (text.empty() ? "" : " ") + comex::text_of(gpid);
    if (text.size() + next.size() > most) return text + " ... " + std::to_string(gpids.size()) + " in all";
    text += next;
  }
  return text;
}

// What the leader's and a member's part share: the list, the ways to its members, the time limit.
class CommitCall {
 public:
  CommitCall(runtime::Runtime& runtime, const char* operation, const ProposedGroup& proposed)
      : runtime_(runtime),
        operation_(operation),
        proposed_(proposed),
        failures_(runtime.world().failures, runtime.world().failures.are_watched()
                                                ? groups::ConnectionTable::from(proposed.lpids)
                                                : groups::ConnectionTable()),
        deadline_(proposed.waits_for_all ? Deadline::never
                                         : static_cast<double>(runtime.world().settings.meet_s)) {
    ListDigest digest;
    for (std::uint32_t rank = 0; rank < proposed.lpids.size(); ++rank) {
      gpids_.push_back(runtime.registry().gpid_of(proposed.lpids[rank]).value());
      routes_.push_back(runtime.route_to(proposed.bridge, proposed.lpids[rank]));
      COMEX_BUG_IF(routes_.back().control == nullptr);  // the bridge is one of all members
      digest.add(gpids_.back());
      if (proposed.endpoints) digest.add(proposed.endpoints.of(rank));
    }
    if (proposed.salt != 0) digest.add(proposed.salt);
    digest_ = digest.value();
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(routes_.size()); }
  bool is_over() const { return ms_left() == 0; }
  std::uint64_t ms_left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Deadline::Clock::now());
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, left.count()));
  }
  // A member that waits already has less time than the caller.
  void end_within(std::uint64_t limit_ms) {
    end_ = std::min(end_, Deadline::Clock::now() + std::chrono::milliseconds(limit_ms));
  }
  // Until `look` holds, under the engine lock, or members are lost: then it fails.
  template <class Look>
  Status wait(std::uint32_t awaited, Look&& look) {
    bool holds = false;
    runtime_.engine().wait([&] { return (holds = look()) || is_lost(); },
                           {operation_, proposed_.lpids[awaited]});
    return holds ? Status() : Status(environment_error(runtime_.why_lost(proposed_.bridge)));
  }

  template <class Message>
  bool take(std::uint32_t from, std::uint32_t phase, Message& message) {
    const runtime::ControlRoute& route = routes_[from];
    return route.control->take(route.rank, op::mailbox_context, digest_, phase,
                               std::as_writable_bytes(std::span(&message, 1)));
  }
  // From any member whose message is here: of thousands, few are at a time. Returns its rank.
  std::optional<std::uint32_t> take_any(MemberMessage& message) {
    const auto is_to_leader = [&](const op::ControlMessages::Sent& sent) {
      const std::uint32_t rank = sent.phase / 2;
      return rank != 0 && rank < size() && sent.phase == to_leader(rank) && sent.from == routes_[rank].rank;
    };
    const auto sent = routes_.front().control->any(op::mailbox_context, digest_, is_to_leader);
    if (!sent || !take(sent->phase / 2, sent->phase, message)) return std::nullopt;
    return sent->phase / 2;
  }
  template <class Message>
  void send(std::uint32_t to, std::uint32_t phase, const Message& message) {
    routes_[to].control->send(routes_[to].rank, op::mailbox_context, digest_, phase,
                              std::as_bytes(std::span(&message, 1)));
  }
  static std::uint32_t to_leader(std::uint32_t rank) { return 2 * rank; }
  static std::uint32_t to_member(std::uint32_t rank) { return 2 * rank + 1; }

  // Says why the group is not made. `missing` names the members that did not call.
  Failure not_created(const std::string& missing) const {
    return caller_error(
        "the group of {" + text_of(gpids_) + "} was not created within " + deadline_.text() +
        " (COMEX_MEET_S): " +
        (missing.empty() ? "a member gave up before all had answered" : missing + " did not call") +
        ". All members must name the same processes in the same order");
  }

 private:
  bool is_lost() const {
    return failures_.any() || (proposed_.bridge != no_bridge && routes_.front().control->is_lost());
  }

  runtime::Runtime& runtime_;
  const char* operation_;
  const ProposedGroup& proposed_;
  groups::MemberFailures failures_;
  std::vector<Gpid> gpids_;
  std::vector<runtime::ControlRoute> routes_;
  std::uint64_t digest_ = 0;
  Deadline deadline_;
  Deadline::Clock::time_point end_ = deadline_.end();
};

Result<std::uint64_t> lead(runtime::Runtime& runtime, CommitCall& call, std::uint64_t context) {
  CommitLeader part(call.size(), context);
  const auto send = [&](std::uint32_t rank, LeaderMessage message) {
    if (message.kind == LeaderMessage::abort)
      listed("rank", part.missing()).copy(message.missing.data(), message.missing.size() - 1);
    call.send(rank, CommitCall::to_member(rank), message);
  };
  const auto send_all = [&](LeaderMessage::Kind kind) {
    for (std::uint32_t rank = 1; rank < call.size(); ++rank) {
      if (const auto message = part.final_message(rank, kind)) send(rank, *message);
    }
  };
  bool is_over = false;
  for (std::uint32_t next = part.first_awaited(); next != 0 && !is_over; next = part.first_awaited()) {
    const Status waited = call.wait(next, [&] {
      MemberMessage message;
      bool has_news = false;
      while (const auto rank = call.take_any(message)) {
        has_news = true;
        if (const auto answer = part.receive(*rank, message)) send(*rank, *answer);
        if (part.is_ready(*rank)) call.end_within(message.limit_ms);
      }
      is_over = call.is_over();
      return is_over || (has_news && part.first_awaited() != next);
    });
    if (!waited) return waited.failure();
  }
  const op::Engine::Lock lock = runtime.engine().enter();
  send_all(part.can_commit() ? LeaderMessage::commit : LeaderMessage::abort);
  if (!part.can_commit()) return call.not_created(listed("rank", part.missing()));
  return part.context();
}

Result<std::uint64_t> follow(runtime::Runtime& runtime, CommitCall& call, std::uint32_t my_rank) {
  CommitMember part(runtime.world().os->random_bits() | 1);
  const auto send = [&](const MemberMessage& message) {
    call.send(0, CommitCall::to_leader(my_rank), message);
  };
  {
    const op::Engine::Lock lock = runtime.engine().enter();
    send(part.come());
  }
  std::string missing = "rank 0";
  const Status waited = call.wait(0, [&] {
    LeaderMessage message;
    if (call.take(0, CommitCall::to_member(my_rank), message)) {
      if (auto answer = part.receive(message)) {
        answer->limit_ms = call.ms_left();
        send(*answer);
      }
      if (part.is_aborted()) missing = message.missing.data();
    }
    return part.is_committed() || part.is_aborted() || (!part.is_bound() && call.is_over());
  });
  if (!waited) return waited.failure();
  if (part.is_committed()) return part.context();
  return call.not_created(missing);
}

int my_rank_in(const runtime::Runtime& runtime, const ProposedGroup& proposed, std::uint32_t my_endpoint) {
  const auto me = static_cast<Lpid>(runtime.me());
  for (std::uint32_t rank = 0; rank < proposed.lpids.size(); ++rank) {
    if (proposed.lpids[rank] == me && proposed.endpoints.of(rank) == my_endpoint)
      return static_cast<int>(rank);
  }
  return -1;
}

// All members are here, so the steps that follow need nobody's service.
Created outcome_for_all(runtime::Runtime& runtime, const char* operation, op::GroupCollective& all,
                        BridgeId bridge, const std::string& complaint) {
  const bool all_can = all.all_agree(complaint.empty());
  const bool is_whole = all.is_whole();
  if (!is_whole && bridge != no_bridge) runtime.look_at_failures();  // the bridge may end with a member
  if (!runtime.why_lost(bridge).empty()) return Created::bridge_is_lost;
  if (!is_whole) return Created::member_died;
  if (!complaint.empty()) {
    runtime.reporter().fail({.operation = operation}, complaint);
  } else if (!all_can && runtime::failed_elsewhere(runtime) == COMEX_PROC_FAILED) {
    return Created::member_died;
  }
  return all_can ? Created::yes : Created::no;
}

}  // namespace

Result<std::uint64_t> commit_group(runtime::Runtime& runtime, const char* operation,
                                   const ProposedGroup& proposed, std::uint32_t my_rank) {
  CommitCall call(runtime, operation, proposed);
  if (my_rank == 0) return lead(runtime, call, runtime.context_over(proposed.bridge));
  return follow(runtime, call, my_rank);
}

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
  const Created created = outcome_for_all(runtime, operation, collective, proposed.bridge, complaint);
  if (created != Created::yes) {
    if (handle >= 0) runtime.remove_group(handle);
    return created;
  }
  runtime.extras(handle).comm = make_communicator(runtime, operation, made);
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
      return runtime::ended_by_death(runtime);
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
