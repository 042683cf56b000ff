// What founders of groups say of themselves to those who may wait for them, and who was refused says too.
//
// A standing lies in the other's mailbox until it is taken, or a newer one takes its place. Setbacks have a
// place of their own there: a next call that begins at once does not cover what the last one came to. Used by
// hearsay, and for callers whose arguments are wrong before there is a founding (refusal.h).
#pragma once

#include "runtime/runtime.h"
#include "worlds/agreement/group_wire.h"
#include "worlds/agreement/refusal.h"
#include "worlds/agreement/trouble.h"

namespace comex::worlds {

// What a caller says of itself to those who may wait for it. Travels as bytes.
struct Standing {
  std::uint64_t digest = 0;  // of the list it waits with or has given up; 0: of none
  ListText list = {};
  std::uint64_t is_serial = 0;
  FoundingTrouble trouble;
  std::uint64_t call = 0;    // the number of its call; 0: it is in none
  std::uint64_t heard = 0;   // the other's call that it has heard in its own; 0: none
  std::uint64_t number = 0;  // these two as Setbacks has them
  std::uint64_t first = 1;
  RefusedList refused;  // by which a caller is in none

  Setbacks::Said::Kind kind() const;
};
enum class Place { call, setback };  // where it lies

// Who has left a bridge may be gone.
bool is_reached_over(const runtime::Runtime& runtime, BridgeId way, Lpid lpid);

// Under the engine lock.
void stand_before(const Route& route, const Setbacks::Pair& pair, const Standing& standing);
// The newest of the other of the pair, over this route; it stays.
bool look_at_standing(const Route& route, const Setbacks::Pair& pair, Place place, Standing& standing);
// The same, but it is gone then.
bool take_standing(const Route& route, const Setbacks::Pair& pair, Place place, Standing& standing);
// The setback that it was told of is over: the process is in this call now.
void take_back_setback(runtime::Runtime& runtime, const Setbacks::Pair& pair, Lpid other, std::uint64_t call);

// No two calls of this process are under way at once.
bool is_serial(const runtime::Runtime& runtime);

}  // namespace comex::worlds
