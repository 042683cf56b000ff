#include "worlds/agreement/run_group_commit.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/diagnose.h"
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
class Commit {
 public:
  Commit(runtime::Runtime& runtime, const char* operation, const ProposedGroup& proposed,
         std::uint32_t my_rank)
      : runtime_(runtime),
        operation_(operation),
        proposed_(proposed),
        my_rank_(my_rank),
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
  virtual ~Commit() = default;
  Commit(const Commit&) = delete;
  Commit& operator=(const Commit&) = delete;

  Result<std::uint64_t> run() {
    const auto is_gone = [](const ControlRoute& route) { return route.control == nullptr; };
    if (const auto gone = std::ranges::find_if(routes_, is_gone); gone != routes_.end()) {
      const auto rank = static_cast<std::size_t>(gone - routes_.begin());
      return environment_error(no_connection(runtime_.registry().me(), gpids_[rank]));
    }
    begin();
    bool has_given_up = false;
    while (!is_decided()) {
      const std::uint32_t awaited = first_awaited();
      const auto look = [&] {
        listen();
        if (!is_decided() && !has_given_up && deadline_.is_over()) {
          has_given_up = true;
          give_up();
        }
        return is_decided() || is_lost() || !still_awaits(awaited);
      };
      runtime_.engine().wait(look, {operation_, proposed_.lpids[awaited]});
      if (!is_decided() && is_lost()) return environment_error(runtime_.why_lost(proposed_.bridge));
    }
    return settle();
  }

 protected:
  // `listen`, and `give_up` when the time is over, are called under the engine lock.
  virtual void begin() {}
  virtual void listen() = 0;
  virtual void give_up() = 0;
  virtual bool is_decided() const = 0;
  virtual std::uint32_t first_awaited() const = 0;
  virtual bool still_awaits(std::uint32_t first) const = 0;
  virtual Result<std::uint64_t> settle() = 0;

  template <class Message>
  bool take(std::uint32_t from, std::uint32_t phase, Message& message) {
    const ControlRoute& route = routes_[from];
    return route.control->take(route.rank, op::mailbox_context, digest_, phase,
                               std::as_writable_bytes(std::span(&message, 1)));
  }
  // From any member whose message is here: of thousands, few are at a time. Returns its rank.
  template <class Message>
  std::optional<std::uint32_t> take_any(Message& message) {
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
  std::string line(const std::string& missing) const {
    const std::string list =
        cut_text(gpids_.size(), [&](std::size_t i) { return comex::text_of(gpids_[i]); });
    return "the group of {" + list + "} was not created within " + deadline_.text() + " (COMEX_MEET_S): " +
           (missing.empty() ? "a member gave up before all had answered"
                            : "rank " + missing + " did not call") +
           ". All members must name the same processes in the same order";
  }
  std::string text_of(const std::vector<std::uint32_t>& ranks) const {
    return cut_text(ranks.size(), [&](std::size_t i) {
      return std::to_string(ranks[i]) + " " + comex::text_of(gpids_[ranks[i]]);
    });
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(routes_.size()); }
  std::uint32_t my_rank() const { return my_rank_; }
  runtime::Runtime& runtime() { return runtime_; }

 private:
  bool is_lost() const {
    return failures_.any() || (proposed_.bridge != no_bridge && routes_.front().control->is_lost());
  }

  runtime::Runtime& runtime_;
  const char* operation_;
  const ProposedGroup& proposed_;
  std::uint32_t my_rank_;
  groups::MemberFailures failures_;
  std::vector<Gpid> gpids_;
  std::vector<ControlRoute> routes_;
  std::uint64_t digest_ = 0;
  Deadline deadline_;
};

class Leading final : public Commit {
 public:
  Leading(runtime::Runtime& runtime, const char* operation, const ProposedGroup& proposed)
      : Commit(runtime, operation, proposed, 0), part_(size(), runtime.context_over(proposed.bridge)) {}

 private:
  void listen() override {
    MemberMessage message;
    while (const auto rank = take_any(message)) {
      if (const auto answer = part_.receive(*rank, message))
        send(*rank, to_member(*rank), with_missing(*answer));
    }
  }
  void give_up() override {
    has_aborted_ = true;
    for (std::uint32_t rank = 1; rank < size(); ++rank) {
      if (const auto message = part_.final_message(rank, LeaderMessage::abort))
        send(rank, to_member(rank), with_missing(*message));
    }
  }
  bool is_decided() const override { return has_aborted_ || part_.can_commit(); }
  std::uint32_t first_awaited() const override { return part_.first_awaited(); }
  bool still_awaits(std::uint32_t first) const override { return part_.still_awaits(first); }
  Result<std::uint64_t> settle() override {
    if (has_aborted_) return caller_error(line(text_of(part_.missing())));
    const op::Engine::Lock lock = runtime().engine().enter();
    for (std::uint32_t rank = 1; rank < size(); ++rank)
      send(rank, to_member(rank), *part_.final_message(rank, LeaderMessage::commit));
    return part_.context();
  }
  LeaderMessage with_missing(LeaderMessage message) const {
    if (message.kind == LeaderMessage::abort)
      text_of(part_.missing()).copy(message.missing.data(), message.missing.size() - 1);
    return message;
  }

  CommitLeader part_;
  bool has_aborted_ = false;
};

class Following final : public Commit {
 public:
  Following(runtime::Runtime& runtime, const char* operation, const ProposedGroup& proposed,
            std::uint32_t my_rank)
      : Commit(runtime, operation, proposed, my_rank), part_(runtime.world().os->random_bits() | 1) {}

 private:
  void begin() override {
    const op::Engine::Lock lock = runtime().engine().enter();
    send(0, to_leader(my_rank()), part_.come());
  }
  void listen() override {
    LeaderMessage message;
    if (!take(0, to_member(my_rank()), message)) return;
    if (const auto answer = part_.receive(message)) send(0, to_leader(my_rank()), *answer);
    if (part_.is_aborted()) missing_ = message.missing.data();
  }
  // A member that is ready waits for the leader's answer from then on.
  void give_up() override { send(0, to_leader(my_rank()), part_.withdraw()); }
  bool is_decided() const override { return part_.is_committed() || part_.is_aborted(); }
  std::uint32_t first_awaited() const override { return 0; }
  bool still_awaits(std::uint32_t) const override { return true; }
  Result<std::uint64_t> settle() override {
    if (part_.is_committed()) return part_.context();
    return caller_error(line(has_leader_come() ? missing_ : text_of({0})));
  }
  bool has_leader_come() const { return part_.context() != 0; }

  CommitMember part_;
  std::string missing_;
};

}  // namespace

Result<std::uint64_t> commit_group(runtime::Runtime& runtime, const char* operation,
                                   const ProposedGroup& proposed, std::uint32_t my_rank) {
  if (my_rank == 0) return Leading(runtime, operation, proposed).run();
  return Following(runtime, operation, proposed, my_rank).run();
}

}  // namespace comex::worlds
