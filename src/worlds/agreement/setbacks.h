// What a founder makes of what another one on its list says of itself: which words are about the calls that
// both make now, and which are left of earlier ones.
//
// Lists that differ while both wait are certain once one of them knows that the other has heard it:
//
//   A, in call 7 ── "I wait with this list" ──► B, in call 9 with another one that names A
//   A ◄── "I wait with that one, and have heard 7" ── B
//
// Both calls were under way at a time and each names the other's process, which has one call at a time:
// neither can come to the other's list. No count is needed for that.
//
// Else words are ordered by the number of the speaker's next setback with the other of the pair. A setback is
// a call that failed or was refused; other lists may not have had both, so each raises its own number to what
// it hears, as a Lamport clock does. News with a number that is past is left of an earlier call. After an own
// setback that the other has not been heard to know of, its next one may be the same call's: it is doubted,
// and so is what it says of another list that it gave up without hearing from here, and a refusal that may
// have been of another list.
//
// Only the newest setback is heard. It says with which number those began that followed each other, no call
// having begun between; until this process has had as many it is behind, since each may have been a call of
// both. Pure. Part of Meetings, under the engine lock; used by Hearsay, and by callers that are refused.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "core/ids.h"
#include "worlds/bridge/bridge.h"

namespace comex::worlds {

class Setbacks {
 public:
  struct Pair {
    std::uint32_t my_endpoint = 0;
    Gpid other;
    std::uint32_t other_endpoint = 0;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  struct Said {
    enum Kind { nothing, waits, gave_up, refused };
    Kind kind = nothing;
    std::uint64_t number = 1;   // of a setback; else of the speaker's next one as its call began
    std::uint64_t first = 1;    // a setback: of those since the speaker's last call began
    std::uint64_t heard = 0;    // the call of this process that it heard in its own; 0: none
    bool is_same_list = false;  // waits, gave_up; refused: it was meant for this list
    bool is_of_me = false;      // gave_up, for what this process did in some call
    bool is_of_others = false;  // gave_up another list, for others: it may come to this one
  };
  enum class Verdict {
    nothing,  // against the group
    answer,   // it does not know yet that this process waits
    remark,   // it was refused in an earlier call, as far as this process knows, or gave up one for others
    doubt,    // it may come yet
    believe   // there will be no group
  };

  static bool is_setback(Said::Kind kind) { return kind == Said::gave_up || kind == Said::refused; }
  // Of two words of one speaker. A setback of an earlier call is superseded by the next, save for who was
  // heard in that very call: its own is over for the speaker, whatever that does next.
  static bool is_of_earlier_call(const Said& setback, const Said& of_call) {
    return setback.number < of_call.number;
  }
  static bool is_final(Verdict verdict, std::uint64_t my_call, const Said& setback) {
    return verdict == Verdict::believe && setback.heard == my_call;
  }

  // The number of the next setback.
  std::uint64_t next(const Pair& pair) const { return tally_of(pair).count + 1; }
  // The first of those since the last call began.
  std::uint64_t first(const Pair& pair) const { return tally_of(pair).since + 1; }
  // The other may have its part in the last one still before it.
  bool is_in_doubt(const Pair& pair) const { return !tally_of(pair).is_shared; }
  // The other has had setbacks that this process has not, and has begun no call since.
  bool is_behind(const Pair& pair) const { return tally_of(pair).highest > tally_of(pair).count; }
  Verdict hear(const Pair& pair, std::uint64_t my_call, const Said& said);
  // The same for who is in no call.
  void learn(const Pair& pair, const Said& said);
  // The other is in a call: this process is not behind.
  void meet(const Pair& pair);
  // A call of this process failed, or was refused, which it says over these ways. Shared: because of what the
  // other said.
  void fail(const Pair& pair, const std::set<BridgeId>& told_over, bool is_shared);
  // A call begins: the ways over which there is a setback to take back.
  std::set<BridgeId> take_back(const Pair& pair);
  // Both have come to one group.
  void settle(const Pair& pair);

 private:
  struct Tally {
    void raise(std::uint64_t to);

    std::uint64_t count = 0;
    std::uint64_t since = 0;    // the count as the last call began
    std::uint64_t highest = 0;  // of the other's setbacks that may have been this process's too
    bool is_shared = true;      // the other knows of the last one
    std::set<BridgeId> told_over;
  };
  Tally tally_of(const Pair& pair) const {
    const auto found = tallies_.find(pair);
    return found == tallies_.end() ? Tally() : found->second;
  }

  std::map<Pair, Tally> tallies_;
};

}  // namespace comex::worlds
