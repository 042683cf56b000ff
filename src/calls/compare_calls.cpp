// The calls that compare two group handles: all questions at once, in two modes, and each question alone.
#include <comex/worlds.h>

#include "groups/compare.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

using groups::Group;

// Returns COMEX_SUCCESS when the value of ask(one, other) has been stored at `result`.
template <class Ask>
int ask_both(const char* name, comex_group_t a, comex_group_t b, int* result, Ask&& ask) {
  return runtime::tell_of_group(name, a, result,
                                [&](runtime::Runtime& runtime, const Group& one) -> Result<int> {
                                  const Group* other = runtime.groups().find(b);
                                  if (other == nullptr) return runtime::no_such_group(b);
                                  return static_cast<int>(ask(one, *other));
                                });
}

}  // namespace

static_assert(groups::congruent == COMEX_CONGRUENT && groups::alias_bit == COMEX_ALIASED);
static_assert(static_cast<int>(groups::Relation::identical) == COMEX_IDENT);
static_assert(static_cast<int>(groups::Relation::similar) == COMEX_SIMILAR);
static_assert(static_cast<int>(groups::Relation::unequal) == COMEX_UNEQUAL);

}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_group_compare(comex_group_t a, comex_group_t b, int* result) {
  return ask_both("group_compare", a, b, result, [](const groups::Group& one, const groups::Group& other) {
    return groups::compare(one, other);
  });
}

int comex_group_compare_basic(comex_group_t a, comex_group_t b, int* result) {
  return ask_both("group_compare_basic", a, b, result,
                  [](const groups::Group& one, const groups::Group& other) {
                    return groups::compare(one, other, groups::Detail::basic);
                  });
}

int comex_group_same_context(comex_group_t a, comex_group_t b, int* same) {
  return ask_both("group_same_context", a, b, same, groups::same_context);
}

int comex_group_relation(comex_group_t a, comex_group_t b, int* ident_similar_or_unequal) {
  return ask_both(
      "group_relation", a, b, ident_similar_or_unequal,
      [](const groups::Group& one, const groups::Group& other) { return groups::relation(one, other); });
}

int comex_group_same_endpoint(comex_group_t a, comex_group_t b, int* same) {
  return ask_both("group_same_endpoint", a, b, same, groups::same_endpoint);
}
