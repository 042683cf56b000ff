// The two-phase commit by which all members of a new group make it, or none (Gray, Notes on Data Base
// Operating Systems, 1978). The first member leads.
//
//   member ── comes ──► leader           vote request of its call
//   member ◄── prepare ── leader         with the group's context
//   member ── ready ──► leader           its vote: it waits for the decision from now on
//   member ◄── commit or abort ── leader commit once all are ready; abort after the time limit
//
// A member that is not ready may give up at any time. One that is ready withdraws, and waits for the leader,
// which answers commit or abort as long as its own call lasts, and sends abort to all as it gives up. Each
// call has a number, since words of earlier calls may arrive late and mean nothing then. Between two
// processes words come in order, and a newer one takes the place of one that has not been looked at. Pure;
// create_group carries the words.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace comex::worlds {

// The ranks that a line names, cut where they are many. Travels as bytes.
using RanksText = std::array<char, 120>;

// To the leader. Travels as bytes.
struct MembersWord {
  enum Kind : std::uint64_t { nothing, comes, ready, withdraws };
  Kind kind = nothing;
  std::uint64_t call = 0;
  std::uint64_t context = 0;  // ready: of the group
};

// To a member. Travels as bytes.
struct LeadersWord {
  enum Kind : std::uint64_t { nothing, prepare, commit, abort };
  Kind kind = nothing;
  std::uint64_t call = 0;  // the member's
  std::uint64_t context = 0;
  RanksText missing = {};  // abort: who never came
};

// The leader's part of one call. Members by rank; 0 is the leader itself, which has nothing to say to itself.
class CommitLeader {
 public:
  CommitLeader(std::uint32_t members, std::uint64_t context) : members_(members), context_(context) {}

  // The answer is to be sent at once.
  std::optional<LeadersWord> hear(std::uint32_t rank, const MembersWord& word);
  bool can_commit() const;
  // Those of whom nothing is known; then those who are not ready yet.
  std::uint32_t first_awaited() const;
  std::vector<std::uint32_t> missing() const;  // never came in this call, not even to withdraw again
  std::uint64_t context() const { return context_; }
  // The last word to a member that has come; nothing to others.
  std::optional<LeadersWord> last_word(std::uint32_t rank, LeadersWord::Kind kind) const;

  friend auto operator<=>(const CommitLeader&, const CommitLeader&) = default;

 private:
  struct Member {
    std::uint64_t call = 0;  // 0: it is in none
    bool is_ready = false;
    bool has_come = false;
    friend auto operator<=>(const Member&, const Member&) = default;
  };
  std::vector<Member> members_;
  std::uint64_t context_;
};

// A member's part of one call.
class CommitMember {
 public:
  explicit CommitMember(std::uint64_t call) : call_(call) {}

  MembersWord come() const { return {MembersWord::comes, call_, 0}; }  // the first word
  // The answer is to be sent at once.
  std::optional<MembersWord> hear(const LeadersWord& word);
  // To be sent; the call ends when `is_bound` no more.
  MembersWord withdraw();

  bool is_bound() const { return state_ == ready || state_ == withdrawing; }
  bool is_committed() const { return state_ == committed; }
  bool is_aborted() const { return state_ == aborted; }
  std::uint64_t context() const { return context_; }

  friend auto operator<=>(const CommitMember&, const CommitMember&) = default;

 private:
  enum State { coming, ready, withdrawing, aborted, committed };
  std::uint64_t call_;
  State state_ = coming;
  std::uint64_t context_ = 0;
};

}  // namespace comex::worlds
