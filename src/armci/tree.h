// Collectives of a team over a binomial tree: broadcast, reduction, barrier.
//
//        0            rank r's parent clears r's lowest bit, counted from the root;
//      / | \          r's children set one bit below it
//     1  2  4
//        |  | \       Data goes in pieces, so that a large message fills the whole tree at once.
//        3  5  6
//
// It makes progress of the runtime while it waits and has 64-bit sizes. A reduction gives the same bits on
// every rank. Callers must be in the team. Used by the messages.
#pragma once

#include <cstddef>

#include "armci/reduction.h"
#include "armci/team.h"

namespace comex::armci {

// `root` is an index in the team.
void broadcast(const Team& team, void* bytes, std::size_t count, int root);
// The result goes to x of index 0. The x of the others is unchanged (keep) or holds partial results (spoil).
enum class Others { keep, spoil };
void reduce(const Team& team, void* x, std::size_t elements, const Reduction& reduction, Others others);
void team_barrier(const Team& team);

}  // namespace comex::armci
