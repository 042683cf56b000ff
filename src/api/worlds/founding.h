// How the members of a new group find each other, and what ends their wait where they mean different ones.
//
//   member   "I have come", with a number of its own ──► leader, the first of the list
//            ◄── the group's context, with that number ── as soon as all have come
//
// Both messages are named by the list, so that several groups can be made at once. Who has waited for
// COMEX_MEET_S tells everybody on its list what list that is: who waits as well and hears of another one that
// names it, or that somebody was refused, gives up and tells its own members why; so does who waits in a
// circle of others (Circle). Who is only late is waited for; what is left of an earlier failure is not taken
// for news (Setbacks). Where a process may have several calls under way, another one can still bring what is
// missing: such a difference is told there, and waited for (Hearsay).
// Called by create_group.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/runtime.h"
#include "api/worlds/circle.h"
#include "api/worlds/conversation.h"
#include "api/worlds/groups.h"
#include "api/worlds/hearsay.h"
#include "core/status.h"

namespace comex::api {

class Founding {
 public:
  Founding(Runtime& runtime, const char* operation, const Founders& founders, std::uint32_t my_rank);

  // The group's context, the same on all members; or why there is no group.
  Result<std::uint64_t> agree();
  // There is none since the bridge is lost: nothing else stands in the way.
  bool is_cut_off() const { return is_cut_off_; }

 private:
  using Word = FoundersWord;

  bool leads() const { return my_rank_ == 0; }
  bool is_late() const { return limits_ > 0; }
  std::uint64_t number_the_group();
  Failure give_up();

  // Under the engine lock.
  bool begin();
  void listen();
  bool comes(std::uint32_t rank, const Word& word);
  void look_again();
  bool waits_in_vain();
  bool is_lost() const;
  bool is_doomed();
  bool takes(std::uint32_t from, std::uint32_t phase, Word& word);
  void send(std::uint32_t to, std::uint32_t phase, const Word& word);
  bool finds_trouble();
  bool may_be_in_a_circle() const;
  bool waits_in_a_circle();
  std::vector<Route> awaited() const;

  Runtime& runtime_;
  const char* operation_;
  const Founders& founders_;
  std::uint32_t my_rank_;
  std::vector<Route> routes_;
  std::vector<Gpid> gpids_;
  std::uint64_t digest_;  // of the list
  Word mine_;
  std::vector<std::uint32_t>
      missing_;  // from whom nothing has come: on the leader all others, else the leader
  std::vector<std::uint64_t> numbers_;  // on the leader: of the members' calls
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

}  // namespace comex::api
