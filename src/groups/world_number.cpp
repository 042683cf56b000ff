#include "groups/world_number.h"

namespace comex::groups {
namespace {

using Number = std::uint64_t;

// The sum of f(x / a) for a from 1 to x. Equal quotients take one step.
template <class F>
Number sum_over_quotients(Number x, F&& f) {
  Number sum = 0;
  for (Number a = 1; a <= x;) {
    const Number quotient = x / a;
    const Number last = x / quotient;
    sum += (last - a + 1) * f(quotient);
    a = last + 1;
  }
  return sum;
}

// How many pairs or triples of numbers from 1 have a product of at most x.
Number pairs_up_to(Number x) {
  return sum_over_quotients(x, [](Number quotient) { return quotient; });
}
Number triples_up_to(Number x) {
  return sum_over_quotients(x, pairs_up_to);
}

Number divisors_above(Number bound, Number x) {
  Number found = 0;
  for (Number a = bound + 1; a <= x; ++a) {
    if (x % a == 0) ++found;
  }
  return found;
}

}  // namespace

std::optional<std::uint32_t> number_of(const WorldCounts& counts) {
  const Number job = Number{counts.job} + 1;
  const Number rank = Number{counts.lowest_rank} + 1;
  const Number opening = Number{counts.opening} + 1;
  // There are at least as many triples as products.
  if (job > world_numbers || rank > world_numbers / job || opening > world_numbers / (job * rank)) return {};
  const Number product = job * rank * opening;
  Number place = triples_up_to(product - 1);
  if (place >= world_numbers) return {};
  // Within one product, higher jobs come first, then higher ranks.
  for (Number other = job + 1; other <= product; ++other) {
    if (product % other == 0) place += divisors_above(0, product / other);
  }
  place += divisors_above(rank, product / job);
  if (place >= world_numbers) return {};
  return static_cast<std::uint32_t>(place);
}

}  // namespace comex::groups
