// The two-phase commit by which all members of a new group make it, or none (Gray, Notes on Data Base
// Operating Systems, 1978). The first member leads.
//
//   member ── comes ──► leader           vote request of its call
//   member ◄── prepare ── leader         with the group's context
//   member ── ready ──► leader           its vote: it waits for the decision from now on
//   member ◄── commit or abort ── leader commit once all are ready; abort after the time limit
//
// A member that is not ready may give up at any time, without a word. A member that is ready waits for the
// leader, which answers within its own time limit and within that of each ready member. Each call has a
// number, because messages of earlier calls may arrive late; these are ignored. Between two processes,
// messages arrive in order, and a newer one replaces one that was not read. Pure; commit_group sends the
// messages.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace comex::worlds {

// The ranks that a line shows, cut if there are many. Travels as bytes.
using RanksText = std::array<char, 120>;

// To the leader. Travels as bytes.
struct MemberMessage {
  enum Kind : std::uint64_t { nothing, comes, ready };
  Kind kind = nothing;
  std::uint64_t call = 0;
  std::uint64_t context = 0;   // ready: of the group
  std::uint64_t limit_ms = 0;  // ready: what is left of the member's time limit; the sender sets it
};

// To a member. Travels as bytes.
struct LeaderMessage {
  enum Kind : std::uint64_t { nothing, prepare, commit, abort };
  Kind kind = nothing;
  std::uint64_t call = 0;  // the number of the member's call
  std::uint64_t context = 0;
  RanksText missing = {};  // abort: the members that never came
};

// The leader's part of one call. Members are by rank; 0 is the leader, which sends itself nothing.
class CommitLeader {
 public:
  CommitLeader(std::uint32_t members, std::uint64_t context) : members_(members), context_(context) {}

  // The returned answer must be sent at once.
  std::optional<LeaderMessage> receive(std::uint32_t rank, const MemberMessage& message);
  bool can_commit() const { return first_awaited() == 0; }
  // First a member that has not come, then one that is not ready yet; 0: all are ready.
  std::uint32_t first_awaited() const;
  bool is_ready(std::uint32_t rank) const { return members_[rank].is_ready; }
  std::vector<int> missing() const;  // those that have not come
  std::uint64_t context() const { return context_; }
  // The last message to a member that has come; nothing for others.
  std::optional<LeaderMessage> final_message(std::uint32_t rank, LeaderMessage::Kind kind) const;

  friend auto operator<=>(const CommitLeader&, const CommitLeader&) = default;

 private:
  struct Member {
    std::uint64_t call = 0;  // 0: it has not come
    bool is_ready = false;
    friend auto operator<=>(const Member&, const Member&) = default;
  };

  std::vector<Member> members_;
  std::uint64_t context_;
};

// A member's part of one call.
class CommitMember {
 public:
  explicit CommitMember(std::uint64_t call) : call_(call) {}

  MemberMessage come() const { return {MemberMessage::comes, call_, 0}; }  // the first message
  // The returned answer must be sent at once.
  std::optional<MemberMessage> receive(const LeaderMessage& message);

  bool is_bound() const { return state_ == ready; }  // until the leader has decided
  bool is_committed() const { return state_ == committed; }
  bool is_aborted() const { return state_ == aborted; }
  std::uint64_t context() const { return context_; }

  friend auto operator<=>(const CommitMember&, const CommitMember&) = default;

 private:
  enum State { coming, ready, aborted, committed };
  std::uint64_t call_;
  State state_ = coming;
  std::uint64_t context_ = 0;
};

}  // namespace comex::worlds
