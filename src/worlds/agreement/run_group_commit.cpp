// How the members of a new group find each other by the list of members, and agree to make the group.
//
// It sends the words of the group commit as control messages. The list names these, so that several groups
// can be made at once.
#include <algorithm>
#include <string>
#include <vector>

#include "core/diagnose.h"
#include "worlds/agreement/create_group.h"
#include "worlds/agreement/deadline.h"
#include "worlds/agreement/group_commit.h"
#include "worlds/agreement/group_wire.h"

namespace comex::worlds {
namespace {

// The texts of all, one after another, cut if there are many.
std::string cut_text(std::size_t size, const auto& text_of_one) {
  constexpr std::size_t most = 90;
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    const std::string next = (i == 0 ? "" : " ") + text_of_one(i);
    if (text.size() + next.size() > most) return text + " ... " + std::to_string(size) + " in all";
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
      routes_.push_back(route_to(runtime, proposed.bridge, proposed.lpids[rank]));
      digest.add(gpids_.back());
      if (proposed.endpoints) digest.add(proposed.endpoints.of(rank));
    }
    if (proposed.salt != 0) digest.add(proposed.salt);
    digest_ = digest.value();
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(routes_.size()); }
  bool is_over() const { return deadline_.is_over(); }
  Status reaches_all() const {
    const auto gone = std::ranges::find(routes_, nullptr, &ControlRoute::control);
    if (gone == routes_.end()) return {};
    const auto rank = static_cast<std::size_t>(gone - routes_.begin());
    return environment_error(no_connection(runtime_.registry().me(), gpids_[rank]));
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
    const ControlRoute& route = routes_[from];
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
    const std::string list =
        cut_text(gpids_.size(), [&](std::size_t i) { return comex::text_of(gpids_[i]); });
    return caller_error(
        "the group of {" + list + "} was not created within " + deadline_.text() + " (COMEX_MEET_S): " +
        (missing.empty() ? "a member gave up before all had answered" : "rank " + missing + " did not call") +
        ". All members must name the same processes in the same order");
  }
  std::string text_of(const std::vector<std::uint32_t>& ranks) const {
    return cut_text(ranks.size(), [&](std::size_t i) {
      return std::to_string(ranks[i]) + " " + comex::text_of(gpids_[ranks[i]]);
    });
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
  std::vector<ControlRoute> routes_;
  std::uint64_t digest_ = 0;
  Deadline deadline_;
};

Result<std::uint64_t> lead(runtime::Runtime& runtime, CommitCall& call, std::uint64_t context) {
  CommitLeader part(call.size(), context);
  const auto send = [&](std::uint32_t rank, LeaderMessage message) {
    if (message.kind == LeaderMessage::abort)
      call.text_of(part.missing()).copy(message.missing.data(), message.missing.size() - 1);
    call.send(rank, CommitCall::to_member(rank), message);
  };
  const auto send_all = [&](LeaderMessage::Kind kind) {
    for (std::uint32_t rank = 1; rank < call.size(); ++rank) {
      if (const auto message = part.final_message(rank, kind)) send(rank, *message);
    }
  };
  bool has_aborted = false;
  while (!part.can_commit() && !has_aborted) {
    const std::uint32_t awaited = part.first_awaited();
    const Status waited = call.wait(awaited, [&] {
      MemberMessage message;
      while (const auto rank = call.take_any(message)) {
        if (const auto answer = part.receive(*rank, message)) send(*rank, *answer);
      }
      if (!part.can_commit() && !has_aborted && call.is_over()) {
        has_aborted = true;
        send_all(LeaderMessage::abort);
      }
      return part.can_commit() || has_aborted || !part.still_awaits(awaited);
    });
    if (!waited) return waited.failure();
  }
  if (has_aborted) return call.not_created(call.text_of(part.missing()));
  const op::Engine::Lock lock = runtime.engine().enter();
  send_all(LeaderMessage::commit);
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
  std::string missing;
  bool has_withdrawn = false;
  const Status waited = call.wait(0, [&] {
    LeaderMessage message;
    if (call.take(0, CommitCall::to_member(my_rank), message)) {
      if (const auto answer = part.receive(message)) send(*answer);
      if (part.is_aborted()) missing = message.missing.data();
    }
    // A member that is ready waits for the leader's answer from then on.
    if (!part.is_committed() && !part.is_aborted() && !has_withdrawn && call.is_over()) {
      has_withdrawn = true;
      send(part.withdraw());
    }
    return part.is_committed() || part.is_aborted();
  });
  if (!waited) return waited.failure();
  if (part.is_committed()) return part.context();
  const bool has_leader_come = part.context() != 0;
  return call.not_created(has_leader_come ? missing : call.text_of({0}));
}

}  // namespace

Result<std::uint64_t> commit_group(runtime::Runtime& runtime, const char* operation,
                                   const ProposedGroup& proposed, std::uint32_t my_rank) {
  CommitCall call(runtime, operation, proposed);
  if (const Status reached = call.reaches_all(); !reached) return reached.failure();
  if (my_rank == 0) return lead(runtime, call, runtime.context_over(proposed.bridge));
  return follow(runtime, call, my_rank);
}

}  // namespace comex::worlds
