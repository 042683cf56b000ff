// Whether founders of groups wait for each other in a circle, with lists of which no two need name each
// other, so that none of the groups can come about.
//
//   A ── "I wait for you" ──► B, waits with another list ── "A waits for you" ──► C ── ... ──► A
//   A ◄── "for ever" ──────── B ◄──────────────────────────────────────────────── C ◄── ... ── A
//
// Who has waited for long asks those whom it waits for; who waits as well asks on in the first one's name,
// but only where it has not answered the asker's call, which is known by its number, nor come to it. So each
// step holds when it is taken, and a founder waits for all of its list: when a question comes back to who
// asked it first, in the same wait, all steps still hold. Only for processes that have one call at a time
// under way: with several threads another one may come. Part of Founding; all calls under the engine lock.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "runtime/runtime.h"
#include "worlds/agreement/group_wire.h"
#include "worlds/agreement/trouble.h"

namespace comex::worlds {

class Circle {
 public:
  struct Wait {
    std::uint64_t digest = 0;  // of the list
    std::uint64_t call = 0;
    std::uint64_t rank = 0;  // in the list; the first leads
    ListText list = {};
  };
  // On the leader: that the call of this number is one to the group it is founding.
  using HasCome = std::function<bool(std::uint64_t rank, std::uint64_t call)>;

  Circle(runtime::Runtime& runtime, const Wait& mine, HasCome has_come)
      : runtime_(runtime), mine_(mine), has_come_(std::move(has_come)) {}

  void ask(std::span<const Route> awaited);
  // True once it is certain.
  bool is_closed(std::span<const Route> awaited);
  // Before the wait ends: what was asked holds no more.
  void retract();

  struct Neighbour {
    Gpid gpid;
    ListText list = {};
  };
  const Neighbour& neighbour() const { return neighbour_; }    // one on the circle
  const std::optional<Gpid>& asker() const { return asker_; }  // who waits for this process on it

 private:
  enum Kind : std::uint64_t { nothing, asks, proves };
  struct Question {  // travels as bytes
    Kind kind = nothing;
    Gpid first;
    std::uint64_t first_call = 0;
    std::uint64_t round = 0;  // of asking
    Gpid sender;
    Wait wait;  // the sender's; of a proof: the call that it is about
  };
  struct Asked {
    std::uint64_t round = 0;
    std::uint64_t call = 0;  // the asker's
    Gpid asker;
    Route back;
  };

  bool hears(const Route& from, const Question& question, std::span<const Route> awaited);
  bool keeps_waiting(const Route& from, const Wait& asker) const;
  void ask_on(const Question& question, std::span<const Route> awaited);
  bool close(const Question& last, const Asked* parent);
  static void send(const Route& to, const Question& question);

  runtime::Runtime& runtime_;
  Wait mine_;
  HasCome has_come_;
  std::uint64_t round_ = 0;
  std::map<std::pair<Gpid, std::uint64_t>, Asked> asked_;  // by who asked first, in which call
  std::map<std::pair<op::ControlMessages*, TransportRank>, std::set<Gpid>> told_;
  Neighbour neighbour_;
  std::optional<Gpid> asker_;
};

}  // namespace comex::worlds
