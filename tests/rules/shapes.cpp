#include "rules/shapes.h"

namespace comex::rules {
namespace {

constexpr int x = 0;
constexpr int y = 1;
constexpr int z = 2;

const char* const either_order = "Two plain puts may be seen in either order";
const char* const fence_publishes =
    "fence takes effect after every earlier write of the origin to that target";
const char* const no_order = "Writes to different targets have no order between them";
const char* const own_order = "Towards one target an origin sees its own operations in program order";
const char* const blocking_read = "get, rmw, atomic: on return the result is there";

const std::vector<Outcome> all_of_two = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

void add_messages(std::vector<Shape>& all) {
  const std::vector<Outcome> in_order = {{0, 0}, {0, 1}, {1, 1}};
  all.push_back({"message passing with a fence",
                 fence_publishes,
                 made({1, 1}, {{put(x, 1), fence(1), put(y, 1)}, {get(y), get(x)}}),
                 in_order,
                 {},
                 {}});
  all.push_back({"message passing with a fence of all",
                 fence_publishes,
                 made({1, 1}, {{put(x, 1), fence_all(), put(y, 1)}, {get(y), get(x)}}),
                 in_order,
                 {},
                 {}});
  all.push_back({"message passing without a fence",
                 either_order,
                 made({1, 1}, {{put(x, 1), put(y, 1)}, {get(y), get(x)}}),
                 all_of_two,
                 {},
                 {}});
  all.push_back({"a wait is no fence",
                 "wait: no more than the blocking call",
                 made({1, 1}, {{nb(put(x, 1)), wait_all(), put(y, 1)}, {get(y), get(x)}}),
                 all_of_two,
                 {},
                 {}});
  all.push_back({"a fence of the data's target",
                 fence_publishes,
                 made({2, 1}, {{put(x, 1), fence(2), put(y, 1)}, {get(y), get(x)}, {}}),
                 in_order,
                 {},
                 {}});
  all.push_back({"a fence of another target",
                 no_order,
                 made({2, 1}, {{put(x, 1), fence(1), put(y, 1)}, {get(y), get(x)}, {}}),
                 all_of_two,
                 {},
                 {}});
  all.push_back({"a plain store, a fence with nothing to wait for, and a put",
                 "still a full memory fence",
                 made({0, 1}, {{store(x, 1), fence(1), put(y, 1)}, {get(y), get(x)}}),
                 in_order,
                 {},
                 {}});
  all.push_back({"an rmw publishes",
                 "rmw takes effect after every earlier write of the origin to that target",
                 made({1, 1}, {{put(x, 1), fetch_add(y, 1)}, {get(y), get(x)}}),
                 {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}},
                 {},
                 {}});
  all.push_back({"an rmw of another target does not",
                 no_order,
                 made({2, 1}, {{put(x, 1), fetch_add(y, 1)}, {get(y), get(x)}, {}}),
                 {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}},
                 {},
                 {}});
  all.push_back({"a barrier brings all writes",
                 "every earlier write of every member to every member",
                 made({1, 0}, {{put(x, 1), barrier(), load(y)}, {put(y, 1), barrier(), load(x)}}),
                 {{1, 1}},
                 {},
                 {}});
  all.push_back({"write to read causality",
                 "Applied: in the target's memory, visible to everybody",
                 made({0, 1}, {{put(x, 1)}, {get(x), put(y, 1)}, {get(y), get(x)}}),
                 {},
                 {{1, 1, 0}},
                 {{1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {1, 0, 1}}});
}

void add_signals(std::vector<Shape>& all) {
  all.push_back({"a signal comes with its data and what was put before",
                 "put_signal",
                 made({1, 1, 1}, {{put(x, 1), put_signal(z, 1, y, 1)}, {wait_until(y, 1), load(x), load(z)}}),
                 {{1, 1}},
                 {},
                 {}});
  all.push_back({"a third party that sees the signal sees the data",
                 "put_signal",
                 made({1, 1, 1}, {{put(x, 1), put_signal(z, 1, y, 1)}, {}, {get(y), get(z), get(x)}}),
                 {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 1, 1}},
                 {},
                 {}});
  all.push_back(
      {"a signal says nothing of another target",
       no_order,
       made({2, 1, 1}, {{put(x, 1), put_signal(z, 1, y, 1)}, {wait_until(y, 1), get(x), load(z)}, {}}),
       {{0, 1}, {1, 1}},
       {},
       {}});
  all.push_back({"a later put may be seen before an earlier signal",
                 "after every *earlier* write",
                 made({1, 1, 1}, {{put_signal(z, 1, y, 1), put(x, 1)}, {get(x), get(y)}}),
                 all_of_two,
                 {},
                 {}});
  all.push_back({"additions of two origins to one signal",
                 "the addition of put_signal_add",
                 made({2, 2, 2}, {{put_signal_add(x, 1, z, 1)},
                                  {put_signal_add(y, 1, z, 1)},
                                  {wait_until(z, 2), load(x), load(y)}}),
                 {{1, 1}},
                 {},
                 {}});
  all.push_back({"a signal that does not wait",
                 "nbput_signal: after wait: as put_signal",
                 made({1, 1, 1}, {{nb(put(x, 1)), nb(put_signal(z, 1, y, 1)), wait_all()},
                                  {wait_until(y, 1), load(x), load(z)}}),
                 {{1, 1}},
                 {},
                 {}});
  all.push_back({"a word handed there and back",
                 "put_signal",
                 made({1, 0, 1}, {{put_signal(z, 5, x, 1), wait_until(y, 1), get(z)},
                                  {wait_until(x, 1), load(z), store(z, 7), fence(0), put(y, 1)}}),
                 {{7, 5}},
                 {},
                 {}});
}

void add_crossings(std::vector<Shape>& all) {
  const char* const full_fence =
      "each put, fence and then get the other's word, at least one sees the other's put";
  const std::vector<Outcome> not_both_old = {{0, 1}, {1, 0}, {1, 1}};
  all.push_back({"store buffering with fences",
                 full_fence,
                 made({0, 0}, {{put(x, 1), fence(0), get(y)}, {put(y, 1), fence(0), get(x)}}),
                 not_both_old,
                 {},
                 {}});
  all.push_back({"store buffering with fences, each in the other's memory",
                 full_fence,
                 made({1, 0}, {{put(x, 1), fence(1), get(y)}, {put(y, 1), fence(0), get(x)}}),
                 not_both_old,
                 {},
                 {}});
  all.push_back({"store buffering without fences",
                 "put: complete at the target after a fence",
                 made({1, 0}, {{put(x, 1), get(y)}, {put(y, 1), get(x)}}),
                 all_of_two,
                 {},
                 {}});
  all.push_back({"store buffering with rmw",
                 "rmw: has happened",
                 made({1, 0}, {{fetch_add(x, 1), get(y)}, {fetch_add(y, 1), get(x)}}),
                 {{0, 0, 0, 1}, {0, 1, 0, 0}, {0, 1, 0, 1}},
                 {},
                 {}});
  all.push_back({"own puts may be seen by their origin first",
                 own_order,
                 made({1, 0}, {{put(x, 1), get(x), get(y)}, {put(y, 1), get(y), get(x)}}),
                 {{1, 0, 1, 0}, {1, 0, 1, 1}, {1, 1, 1, 0}, {1, 1, 1, 1}},
                 {},
                 {}});
  all.push_back({"load buffering",
                 blocking_read,
                 made({0, 1}, {{get(x), put(y, 1)}, {get(y), put(x, 1)}}),
                 {{0, 0}, {0, 1}, {1, 0}},
                 {},
                 {}});
  all.push_back({"load buffering by a get that is waited for later",
                 "nbget: after wait: the result is there",
                 made({0, 1}, {{nb(get(x)), put(y, 1), wait_all()}, {get(y), put(x, 1)}}),
                 all_of_two,
                 {},
                 {}});
  all.push_back(
      {"independent reads of independent writes",
       "Applied: ... visible to everybody",
       made({0, 1}, {{put(x, 1)}, {put(y, 1)}, {get(x), fence_all(), get(y)}, {get(y), fence_all(), get(x)}}),
       {},
       {{1, 0, 1, 0}},
       {{1, 0, 0, 1}, {1, 1, 1, 1}, {0, 0, 1, 0}}});
  all.push_back({"two writers with fences",
                 fence_publishes,
                 made({1, 1}, {{put(x, 1), fence(1), put(y, 2)}, {put(y, 1), fence(1), put(x, 2)}}),
                 {{1, 2}, {2, 1}, {2, 2}},
                 {},
                 {},
                 true});
  all.push_back({"two writers without fences",
                 either_order,
                 made({1, 1}, {{put(x, 1), put(y, 2)}, {put(y, 1), put(x, 2)}}),
                 {{1, 2}, {2, 1}, {2, 2}, {1, 1}},
                 {},
                 {},
                 true});
  all.push_back({"a write before a read, with fences",
                 fence_publishes,
                 made({1, 1}, {{put(x, 1), fence(1), put(y, 1)}, {put(y, 2), fence(1), get(x)}}),
                 {{0, 1, 1}, {1, 1, 1}, {1, 1, 2}},
                 {},
                 {},
                 true});
  all.push_back({"a read before a write, with fences",
                 fence_publishes,
                 made({1, 1}, {{put(x, 2), fence(1), put(y, 1)}, {get(y), put(x, 1)}}),
                 {{0, 1, 1}, {0, 2, 1}, {1, 1, 1}},
                 {},
                 {},
                 true});
}

void add_own_order(std::vector<Shape>& all) {
  const std::vector<Outcome> rising = {{0, 0, 2}, {0, 1, 2}, {0, 2, 2}, {1, 1, 2}, {1, 2, 2}, {2, 2, 2}};
  all.push_back({"two puts to one word",
                 "of two puts to the same bytes the later one stays",
                 made({1}, {{put(x, 1), put(x, 2)}, {get(x), get(x)}}),
                 rising,
                 {},
                 {},
                 true});
  all.push_back({"two puts to one word, the first non-blocking",
                 "whatever mix of sizes, layouts, blocking and",
                 made({1}, {{nb(put(x, 1)), put(x, 2)}, {get(x), get(x)}}),
                 rising,
                 {},
                 {},
                 true});
  all.push_back({"two readers agree on the order of two puts",
                 "Applied: ... visible to everybody",
                 made({1}, {{put(x, 1)}, {put(x, 2)}, {get(x), get(x)}, {get(x), get(x)}}),
                 {},
                 {{1, 2, 2, 1}, {2, 1, 1, 2}, {1, 0, 0, 0}, {0, 0, 2, 0}},
                 {{1, 2, 1, 2}, {2, 1, 2, 2}}});
  all.push_back({"a get behind a put and an accumulate",
                 "a get returns what its earlier puts and accumulates left",
                 made({1}, {{nb(put(x, 5)), nb(acc(x, 2)), get(x), wait_all()}, {}}),
                 {{7, 7}},
                 {},
                 {},
                 true});
  all.push_back({"a later put does not change an earlier get",
                 "a later write never changes what an earlier get",
                 made({1}, {{nb(get(x)), put(x, 1), wait_all()}, {}}),
                 {{0, 1}},
                 {},
                 {},
                 true});
  all.push_back({"an rmw between two puts",
                 own_order,
                 made({1}, {{put(x, 1), nb(fetch_add(x, 10)), put(x, 5), get(x), wait_all()}, {}}),
                 {{1, 5, 5}},
                 {},
                 {},
                 true});
}

void add_atomics(std::vector<Shape>& all) {
  all.push_back({"sums are exact",
                 "The sum of concurrent accumulates is exact",
                 made({1}, {{acc(x, 1), acc(x, 1)}, {acc(x, 10)}, {nb(acc(x, 100)), wait_all()}}),
                 {{112}},
                 {},
                 {},
                 true});
  all.push_back({"an accumulate and a look",
                 "a get returns what its earlier puts and accumulates left",
                 made({1}, {{acc(x, 1), get(x)}, {acc(x, 1), get(x)}}),
                 {{1, 2}, {2, 1}, {2, 2}},
                 {},
                 {}});
  all.push_back({"rmw in one order",
                 "rmw and atomic, among all of them on the same word, from every worker",
                 made({1}, {{fetch_add(x, 1)}, {fetch_add(x, 1)}, {fetch_add(x, 1)}}),
                 {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}},
                 {},
                 {}});
  all.push_back({"swaps in one order",
                 "rmw and atomic, among all of them on the same word, from every worker",
                 made({1}, {{swap(x, 1)}, {swap(x, 2)}}),
                 {{0, 1, 2}, {2, 0, 1}},
                 {},
                 {},
                 true});
  all.push_back({"a signal's additions and rmw",
                 "and the addition of put_signal_add to a word of 8 bytes",
                 made({1, 1}, {{put_signal_add(y, 1, x, 1)}, {fetch_add(x, 10)}}),
                 {{0, 11, 1}, {1, 11, 1}},
                 {},
                 {},
                 true});
  all.push_back(
      {"a mutex hands over what was fenced",
       "an `unlock` that follows a fence",
       made({1, 1}, {{lock(), put(x, 1), put(y, 1), fence(1), unlock()}, {lock(), get(x), get(y), unlock()}}),
       {{0, 0}, {1, 1}},
       {},
       {}});
  all.push_back({"an unlock fences nothing",
                 "unlock: fences nothing: call fence_proc first to publish",
                 made({1, 1}, {{lock(), put(x, 1), put(y, 1), unlock()}, {lock(), get(x), get(y), unlock()}}),
                 all_of_two,
                 {},
                 {}});
  all.push_back({"a counter under a mutex",
                 "an `unlock` that follows a fence",
                 made({0}, {{lock(), put(x, 1), fence(0), get(x), unlock()},
                            {lock(), put(x, 2), fence(0), get(x), unlock()}}),
                 {{1, 2, 2}, {1, 2, 1}},
                 {},
                 {},
                 true});
}

}  // namespace

Outcome Shape::shown(const Outcome& outcome) const {
  if (with_words) return outcome;
  return {outcome.begin(), outcome.begin() + static_cast<std::ptrdiff_t>(program.reads())};
}

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  add_messages(all);
  add_signals(all);
  add_crossings(all);
  add_own_order(all);
  add_atomics(all);
  return all;
}

}  // namespace comex::rules
