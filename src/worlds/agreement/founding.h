// How the members of a new group find each other, and what ends their wait where they mean different ones.
//
// The first of the list leads, and calls the roll (RollCall): a group comes about on all at once, or on none.
// Words are named by the list, so that several groups can be made at once. Who has waited for COMEX_MEET_S
// tells everybody on its list what list that is: who waits as well and hears of another one that names it, or
// that somebody was refused, gives up and tells its own members why; so does who waits in a circle of others
// (Circle), and who was counted by a leader that gives up. Who is only late is waited for; what is left of an
// earlier failure is not taken for news (Setbacks). Where a process may have several calls under way, another
// one can still bring what is missing: such a difference is told there, and waited for (Hearsay). Called by
// create_group.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "runtime/runtime.h"
#include "worlds/agreement/circle.h"
#include "worlds/agreement/groups.h"
#include "worlds/agreement/hearsay.h"
#include "worlds/agreement/roll_call.h"
#include "worlds/connect/leader_connection.h"

namespace comex::worlds {

class Founding {
 public:
  Founding(runtime::Runtime& runtime, const char* operation, const Founders& founders, std::uint32_t my_rank);

  // The group's context, the same on all members; or why there is no group.
  Result<std::uint64_t> agree();
  // There is none since the bridge is lost: nothing else stands in the way.
  bool is_cut_off() const { return is_cut_off_; }

 private:
  bool leads() const { return my_rank_ == 0; }
  bool is_late() const { return limits_ > 0; }
  bool is_settled() const { return leads() ? roll_.is_settled() : answer_.is_made(); }
  // On a member always the leader.
  std::uint32_t first_awaited() const { return leads() ? roll_.first_awaited() : 0; }
  bool leaves();
  std::uint64_t settle();
  Failure give_up();

  // Under the engine lock.
  bool begin();
  void listen();
  void call_the_roll();
  void hear_member(std::uint32_t rank);
  void answer_the_leader();
  void hear_that_it_is_off(const LeadersWord& word);
  void call_it_off();
  bool waits_in_vain();
  bool is_lost() const;
  bool is_doomed();
  bool takes(std::uint32_t from, std::uint32_t phase, std::span<std::byte> word);
  void send(std::uint32_t to, std::uint32_t phase, std::span<const std::byte> word);
  void tell_leader(const MembersWord& word);
  void tell_member(std::uint32_t rank, const LeadersWord& word);
  bool finds_trouble();
  bool may_be_in_a_circle() const;
  bool waits_in_a_circle();
  std::vector<Route> awaited() const;

  runtime::Runtime& runtime_;
  const char* operation_;
  const Founders& founders_;
  std::uint32_t my_rank_;
  std::vector<Route> routes_;
  std::vector<Gpid> gpids_;
  std::uint64_t digest_;  // of the list
  std::uint64_t call_;    // the number of this one
  RollCall roll_;         // on the leader
  RollAnswer answer_;     // on a member
  Deadline deadline_;
  int limits_ = 0;  // that are over
  bool is_cut_off_ = false;
  bool has_come_ = false;  // as a member, and said so
  bool has_leader_given_up_ = false;
  std::string doom_;                   // a world that is lost, for which there is no group
  std::optional<Deadline> last_word_;  // of the leader, to a member that knows that a named world is lost
  ListText list_;
  Circle circle_;
  Hearsay hearsay_;
  Deadline next_look_{0};
  FoundingTrouble trouble_;
};

}  // namespace comex::worlds
