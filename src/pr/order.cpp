#include "pr/order.h"

namespace comex::pr {
namespace {

using protocol::Verb;

// After these requests, other workers may rely on what was written before them.
bool publishes(const Footprint& request) {
  return request.verb == Verb::rmw || request.verb == Verb::store || request.verb == Verb::release ||
         (request.verb == Verb::put && request.is_inline);
}

bool same_target(const Footprint& a, const Footprint& b) {
  return a.many_targets || b.many_targets || a.target == b.target;
}

// Whether all numbers of both lie at multiples of their size. Then two numbers are the same or do not
// overlap.
bool is_aligned(const Footprint& a, const Footprint& b) {
  return (a.offset_bits | b.offset_bits) % number_bytes(a.scalar) == 0;
}

// Two products do not: they round, and the order of complex factors decides the sign of a zero. Nor do
// extremes of reals: of two zeros, or of two that are no numbers, the earlier one stays. Of numbers that
// overlap in part, one carries into the other.
bool commute(const Footprint& a, const Footprint& b) {
  if (a.verb != b.verb) return false;
  if (a.verb == Verb::get) return true;
  if (a.verb != Verb::acc || a.scalar != b.scalar || a.combine != b.combine || !is_aligned(a, b))
    return false;
  const bool is_extreme = a.combine == Combine::least || a.combine == Combine::most;
  if (is_extreme) return is_integer(a.scalar);
  return a.combine != Combine::replace && a.combine != Combine::product;
}

}  // namespace

bool may_start_beside(const Footprint& earlier, const Footprint& later) {
  if (later.verb == Verb::fence) return !changes_memory(earlier.verb);
  if (earlier.verb == Verb::fence || !same_target(earlier, later)) return true;
  if (publishes(later) && changes_memory(earlier.verb)) return false;
  return commute(earlier, later) || !overlap(earlier, later);
}

}  // namespace comex::pr
