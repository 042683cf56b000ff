// How the leader of a group to be and its members settle that it comes about: all are in it, or none.
//
//   member   "I have come", with its call's number ──► leader
//            ◄── offer: the group's context, for that call ── as soon as all have come
//            "I stay" ──►
//            ◄── made ── as soon as all stay
//
// A member that has waited for long may give up at any time and come again in another call; so what the
// leader knows of it may be past, and an offer may meet nobody. But who says that it stays has given the
// decision away: it goes only when the leader has answered, and the leader, before its own call ends, says
// "made" or "off" to all whom it has counted. "Made" is said when the newest word of each is that it stays:
// they are all in those calls then, and stay there until they hear it. A word for another call than the
// hearer's is left of one that is over, and means nothing. Between two, words come in order, and a newer one
// takes the place of one that has not been looked at. Pure. Part of Founding, which carries the words.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "worlds/agreement/trouble.h"

namespace comex::worlds {

// To the leader. Travels as bytes.
struct MembersWord {
  enum Kind : std::uint64_t { gone, comes, stays, leaves };  // leaves: it stayed, and waits to be let go
  Kind kind = gone;
  std::uint64_t call = 0;
  std::uint64_t context = 0;  // stays: of the offer
};

// To a member. Travels as bytes.
struct LeadersWord {
  enum Kind : std::uint64_t { nothing, offer, made, off };
  Kind kind = nothing;
  std::uint64_t call = 0;  // the member's
  std::uint64_t context = 0;
  // off: why, where the leader's call has failed for something that holds for all on the list, and the number
  // of its setback
  FoundingTrouble trouble = {};
  std::uint64_t number = 0;
};

// The leader's. Members by rank; 0 is the leader itself, which has nothing to say to itself.
class RollCall {
 public:
  explicit RollCall(std::uint32_t size) : members_(size) {}

  // The answer is to be sent at once.
  std::optional<LeadersWord> hear(std::uint32_t rank, const MembersWord& word);
  // What it says now can change something. Before all have come, those who have are heard once all have.
  bool is_awaited(std::uint32_t rank) const { return members_[rank].call == 0 || is_open(); }
  std::uint64_t call_of(std::uint32_t rank) const { return members_[rank].call; }  // 0: it has not come

  bool have_all_come() const;
  bool is_settled() const;
  // Whoever keeps the group from coming about, the missing first.
  std::uint32_t first_awaited() const;
  std::vector<std::uint32_t> missing() const;

  // When all have come, once and for all.
  void open(std::uint64_t context) { context_ = context; }
  bool is_open() const { return context_ != 0; }
  std::uint64_t context() const { return context_; }
  // What a member is to be told then, if it has not been.
  std::optional<LeadersWord> offer(std::uint32_t rank);
  // The last word to a member that has come; nothing to others.
  std::optional<LeadersWord> last_word(std::uint32_t rank, LeadersWord::Kind kind) const;

  friend auto operator<=>(const RollCall&, const RollCall&) = default;

 private:
  struct Member {
    std::uint64_t call = 0;
    bool is_offered = false;
    bool stays = false;
    friend auto operator<=>(const Member&, const Member&) = default;
  };
  std::vector<Member> members_;
  std::uint64_t context_ = 0;
};

// A member's, for one call.
class RollAnswer {
 public:
  explicit RollAnswer(std::uint64_t call) : call_(call) {}

  MembersWord come();  // first, and again when the group is off and this call goes on
  // The answer is to be sent at once.
  std::optional<MembersWord> hear(const LeadersWord& word);
  // To be sent; the call ends when `is_bound` no more.
  MembersWord leave();

  bool is_bound() const { return state_ == leaving; }
  bool is_off() const { return state_ == off; }
  bool is_made() const { return state_ == made; }
  std::uint64_t context() const { return context_; }

  friend auto operator<=>(const RollAnswer&, const RollAnswer&) = default;

 private:
  enum State { away, there, staying, leaving, off, made };
  std::uint64_t call_;
  State state_ = away;
  std::uint64_t context_ = 0;
};

}  // namespace comex::worlds
