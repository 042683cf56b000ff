// Selection: spreads the payload of the rank with the smallest or largest value.
#include <cstring>

#include "armci/export.h"
#include "armci/messages.h"

namespace comex::armci {
namespace {

// The candidate of one rank, or the best one so far.
struct Candidate {
  double real = 0;
  long long whole = 0;
  int index = -1;  // in the team; -1: there is none
};

Candidate candidate_of(const void* x, int type, int index) {
  Candidate candidate;
  candidate.index = index;
  const auto take = [&](auto value, auto& into) {
    std::memcpy(&value, x, sizeof value);
    into = value;
  };
  switch (type) {
    case ARMCI_INT:
      take(int{}, candidate.whole);
      break;
    case ARMCI_LONG:
      take(long{}, candidate.whole);
      break;
    case ARMCI_LONG_LONG:
      take(0LL, candidate.whole);
      break;
    case ARMCI_FLOAT:
      take(float{}, candidate.real);
      break;
    default:
      take(double{}, candidate.real);
      break;
  }
  return candidate;
}

// One of the two numbers is 0 in every candidate. Of equal candidates, the higher index wins.
bool wins(const Candidate& challenger, const Candidate& holder, bool greatest) {
  if (challenger.index < 0 || holder.index < 0) return holder.index < 0;
  const bool greater = challenger.whole > holder.whole || challenger.real > holder.real;
  const bool less = challenger.whole < holder.whole || challenger.real < holder.real;
  if (greater || less) return greatest ? greater : less;
  return challenger.index > holder.index;
}

template <bool greatest>
void combine_candidates(void* into, const void* from, std::size_t candidates) {
  for (std::size_t i = 0; i < candidates; ++i) {
    Candidate& holder = static_cast<Candidate*>(into)[i];
    const Candidate& challenger = static_cast<const Candidate*>(from)[i];
    if (wins(challenger, holder, greatest)) holder = challenger;
  }
}

void select(int scope, void* x, int n, const char* op, int type, int contribute) {
  const ReduceOp operation = operation_named(op);
  if (operation != ReduceOp::min && operation != ReduceOp::max) {
    comex_error(("a selection is by \"min\" or \"max\", not by \"" + first_of_name(op) + "\"").c_str(), 1);
  }
  const std::size_t bytes = checked_count(n);
  if (bytes < type_bytes(type)) comex_error("a selection of fewer bytes than its value has", n);
  const CollectiveContext scene = enter_collective(scope, collective_group());
  if (!scene.takes_part()) return;
  const Team& team = *scene.team;
  Candidate best;
  if (contribute != 0) best = candidate_of(x, type, team.index);
  reduce_for_all(
      scene, &best, 1,
      {sizeof best, operation == ReduceOp::max ? combine_candidates<true> : combine_candidates<false>});
  broadcast(team, x, bytes, best.index >= 0 ? best.index : team.size() - 1);
}

}  // namespace
}  // namespace comex::armci

using namespace comex::armci;

COMEX_C void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute) {
  const comex::runtime::CallName called(__func__);
  select(scope, x, n, op, type, contribute);
}

// Defined even if the header has a macro, because a program may be compiled with another header.
COMEX_C void(armci_msg_sel)(void* x, int n, char* op, int type, int contribute) {
  const comex::runtime::CallName called(__func__);
  select(SCOPE_ALL, x, n, op, type, contribute);
}
