// How the members of a new group find each other, and what ends their wait where they mean different ones.
//
//   member   "I have come", with a number of its own ──► leader, the first of the list
//            ◄── the group's context, with that number ── as soon as all have come
//
// Both messages are named by the list, so that several groups can be made at once. Who has waited for
// COMEX_MEET_S tells everybody on its list what list that is: who waits as well and hears of another one that
// names it, or that somebody was refused, gives up and tells its own members why. Who is only late is waited
// for; news that is left of an earlier failure is known by its number. Where that number was taken by a call
// that was refused here, it is believed once COMEX_MEET_S have passed without its sender.
// Called by create_group, and by the calls whose arguments are wrong before it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/runtime.h"
#include "api/worlds/conversation.h"
#include "api/worlds/groups.h"
#include "api/worlds/stand.h"
#include "core/status.h"

namespace comex::api {

// What makes it certain that a group will not come about. Travels as bytes.
struct FoundingTrouble {
  enum Kind : std::uint64_t { none, refused, other_list };
  Kind kind = none;
  Gpid whose;
};

class Founding {
 public:
  Founding(Runtime& runtime, const char* operation, const Founders& founders, std::uint32_t my_rank);

  // The group's context, the same on all members; or why there is no group.
  Result<std::uint64_t> agree();
  // There is none since the bridge is lost: nothing else stands in the way.
  bool is_cut_off() const { return is_cut_off_; }

 private:
  struct Word {                // between a member and the leader; travels as bytes
    std::uint64_t number = 0;  // of the member's call; 0: it has given up
    std::uint64_t context = 0;
  };

  bool leads() const { return my_rank_ == 0; }
  std::uint64_t number_the_group();
  Gpid gpid_of(std::uint32_t rank) const;
  Setbacks::Pair pair_with(std::uint32_t rank) const;
  Failure give_up();

  // Under the engine lock.
  bool begin();
  void listen();
  bool waits_in_vain();
  bool is_lost() const;
  bool is_doomed();
  bool takes(std::uint32_t from, std::uint32_t phase, Word& word);
  void send(std::uint32_t to, std::uint32_t phase, const Word& word);
  bool finds_trouble();
  FoundingTrouble trouble_from(std::uint32_t rank, std::uint64_t digest, const FoundingTrouble& told) const;
  bool is_believed(std::uint32_t rank, std::uint64_t number, const FoundingTrouble& trouble);
  void tell_all(std::uint64_t digest, const FoundingTrouble& trouble);

  Runtime& runtime_;
  const char* operation_;
  const Founders& founders_;
  std::uint32_t my_rank_;
  std::vector<Route> routes_;
  std::uint64_t digest_;  // of the list
  Word mine_;
  std::vector<std::uint32_t>
      missing_;  // from whom nothing has come: on the leader all others, else the leader
  std::vector<std::uint64_t> numbers_;  // on the leader: of the members' calls
  Deadline deadline_;
  bool is_late_ = false;
  bool is_cut_off_ = false;
  bool has_come_ = false;  // as a member, and said so
  bool has_leader_given_up_ = false;
  std::string doom_;                   // a world that is lost, for which there is no group
  std::optional<Deadline> last_word_;  // of the leader, to a member that knows that a named world is lost
  FoundingTrouble trouble_;
  struct Doubt {
    FoundingTrouble trouble;
    Deadline until;  // is believed then
  };
  std::map<std::uint32_t, Doubt> doubts_;  // by rank: what it says may be about a call that was refused here
};

// Of a caller whose arguments were refused: those who wait for it in a group to be made from these learn it.
void tell_of_refusal(Runtime& runtime, const groups::Group& parent);
// The same for everybody whom it can reach.
void tell_of_refusal(Runtime& runtime);

}  // namespace comex::api
