// comex.hpp: what moves data. Every worker writes to a place of its own in the memory of each worker.
#pragma once

#include <comex/comex.hpp>
#include <complex>
#include <numeric>

#include "mpi/job.h"

namespace comex::testing {

template <class Call>
bool throws_error(Call&& call) {
  try {
    call();
  } catch (const error&) {
    return true;
  }
  return false;
}
template <class Exception, class Call>
bool throws(Call&& call) {
  try {
    call();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

struct Point {  // has no default, and padding
  Point(double at_x, int at_y) : x(at_x), y(at_y) {}
  double x;
  int y;
};

inline void values_and_spans(const Job& job) {
  constexpr std::size_t mine = 8;
  const auto at = static_cast<std::size_t>(job.me) * mine;
  const array<long> memory(group::world(), mine * static_cast<std::size_t>(job.workers));
  array<Point> points(group::world(), static_cast<std::size_t>(job.workers));
  for (int target = 0; target < job.workers; ++target) {
    const global_span<long> place = memory.part(target).subspan(at, mine);
    std::vector<long> sent(mine);
    std::iota(sent.begin(), sent.end(), 100L * job.me + target);
    put(sent, place);
    put(-1L, place[3]);
    put(std::span(sent).first(2), place.data() + 6);
    put(std::span<const long>(), place.first(0));
    const Point point(job.me + 0.5, target);
    put(point, points.ptr(target, static_cast<std::size_t>(job.me)));
    std::vector<long> expected = sent;
    expected[3] = -1;
    expected[6] = sent[0];
    expected[7] = sent[1];
    std::vector<long> back(mine);
    get(global_span<const long>(place), back);
    job.require(back == expected, "a get of a span brought something else");
    get(place.data() + 6, std::span(back).first(2));
    job.require(back[0] == sent[0] && back[1] == sent[1], "a get from a pointer brought something else");
    job.equal(get(place[3]), -1, "a value");
    job.equal(get(points.ptr(target, static_cast<std::size_t>(job.me))).x, job.me + 0.5, "a struct's number");
    job.require(throws<std::length_error>([&] { put(sent, place.first(2)); }), "sizes that differ");
    job.require(throws<std::out_of_range>([&] { (void)place.subspan(4, 5); }), "a span outside a span");
    job.require(throws<std::out_of_range>([&] { (void)place.last(9); }), "a tail outside a span");
    fence(place.data());
  }
  group::world().barrier();
  for (int origin = 0; origin < job.workers; ++origin) {
    const auto from = static_cast<std::size_t>(origin) * mine;
    job.equal(memory.local()[from + 5], 100L * origin + job.me + 5, "what another worker has put");
    job.equal(points.local()[static_cast<std::size_t>(origin)].y, job.me, "a struct of another worker");
  }
  group::world().barrier();
  points.free();
  job.require(points.local().empty() && points.ranks() == 0, "an array that was freed");
}

inline void pointers(const Job& job) {
  const array<int> memory(group::world(), 10);
  const int next = (job.me + 1) % job.workers;
  global_ptr<int> at = memory.ptr(next, 4);
  const global_ptr<const int> same = at;
  job.require(same == global_ptr<const int>(memory.ptr(next, 4)), "a pointer to const");
  job.require(at++ == memory.ptr(next, 4) && --at == memory.ptr(next, 4), "steps");
  job.equal(memory.ptr(next, 9) - at, 5, "a difference");
  job.require(at < at + 1 && at - 4 == memory.part(next).data() && 2 + at > at, "an order");
  job.require(!global_ptr<int>() && at && at.rank() == next, "a null pointer");
  const bool shares = job.host(next) == job.host(job.me);
  job.require((at.local() != nullptr) == shares, "a pointer that the host of its rank can follow");
  const global_span<const int> part = memory.part(next);
  job.require(part.last(3).data() == memory.ptr(next, 7) && part.size() == 10 && !part.empty(), "parts");
}

template <class T>
T number(int value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<typename T::value_type>(value));
  }
}

template <class T>
void sums_of(const Job& job, const char* what) {
  constexpr std::size_t count = 5;
  const array<T> memory(group::world(), count);
  for (T& element : memory.local()) element = T(1);
  group::world().barrier();
  std::vector<T> added(count);
  for (std::size_t i = 0; i < count; ++i) added[i] = number<T>(static_cast<int>(i) + job.me);
  for (int target = 0; target < job.workers; ++target) {
    accumulate(added, memory.part(target), T(2));
    accumulate(added, memory.ptr(target));
    accumulate(T(3), memory.ptr(target, 1), T(2));
    async_accumulate(added, memory.part(target), T(-1)).wait();
    async_accumulate(added[2], memory.ptr(target, 2)).wait();
  }
  group::world().barrier();
  const int sum = job.workers * (job.workers - 1) / 2;  // of all ranks
  for (int i = 0; i < static_cast<int>(count); ++i) {
    int expected = 1 + 2 * (i * job.workers + sum);
    if (i == 1) expected += 6 * job.workers;
    if (i == 2) expected += i * job.workers + sum;
    job.require(memory.local()[static_cast<std::size_t>(i)] == number<T>(expected), what);
  }
  group::world().barrier();
}

template <class T>
void turned_sum(const Job& job) {
  const array<std::complex<T>> turned(group::world(), 1);
  turned.local()[0] = 0;
  group::world().barrier();
  const std::complex<T> added(1, 2);
  if (job.me == 0) accumulate(added, turned.ptr(job.workers - 1), {0, 1});
  group::world().barrier();
  const std::complex<T> expected(-2, 1);
  job.require(job.me < job.workers - 1 || turned.local()[0] == expected, "a complex scale");
  group::world().barrier();
}

inline void sums(const Job& job) {
  sums_of<int>(job, "a sum of int");
  sums_of<long>(job, "a sum of long");
  sums_of<float>(job, "a sum of float");
  sums_of<double>(job, "a sum of double");
  sums_of<std::complex<float>>(job, "a sum of complex float");
  sums_of<std::complex<double>>(job, "a sum of complex double");
  turned_sum<float>(job);
  turned_sum<double>(job);
}

template <class T>
void words_of(const Job& job) {
  const array<T> words(group::world(), 4);
  std::fill(words.local().begin(), words.local().end(), T(0));
  group::world().barrier();
  const T bit = static_cast<T>(T(1) << (job.me % 30));
  T seen = 0;
  for (int target = 0; target < job.workers; ++target) {
    fetch_add(words.ptr(target), 2);
    seen = async_fetch_add(words.ptr(target), T(-1)).get();
    fetch_or(words.ptr(target, 1), bit);
    job.require((fetch_xor(words.ptr(target, 1), bit) & bit) != 0, "a bit that was set");
    job.require((async_fetch_or(words.ptr(target, 1), bit).get() & bit) == 0, "a bit that was taken");
    while (compare_swap(words.ptr(target, 2), 0, T(job.me + 1)) != 0) progress();
    job.equal(async_compare_swap(words.ptr(target, 2), T(job.workers + 1), 7).get(), T(job.me + 1),
              "a refused swap");
    job.equal(swap(words.ptr(target, 2), T(0)), T(job.me + 1), "the word that was swapped");
    job.require(seen >= 0, "a counter below 0");
  }
  group::world().barrier();
  job.equal(words.local()[0], T(job.workers), "a counter");
  T bits = 0;
  for (int worker = 0; worker < job.workers; ++worker) bits |= static_cast<T>(T(1) << (worker % 30));
  job.equal(words.local()[1], bits, "the bits");
  job.equal(async_fetch_and(words.ptr(job.me, 1), 0).get(), bits, "the bits, as they are cleared");
  job.equal(fetch_and(words.ptr(job.me, 1), 1), 0, "the bits");
  job.equal(async_swap(words.ptr(job.me, 3), 9).get() * 0 + get(words.ptr(job.me, 3)), 9, "a swap");
  job.equal(async_fetch_xor(words.ptr(job.me, 3), 1).get(), 9, "a word");
  group::world().barrier();
}

template <class T>
void typed_words(const Job& job) {
  const array<T> words(group::world(), 4);
  std::fill(words.local().begin(), words.local().end(), T(5));
  group::world().barrier();
  for (int target = 0; target < job.workers; ++target) {
    const T mine = static_cast<T>(10 + job.me);
    atomic_add(words.ptr(target), T(1));
    async_atomic_add(words.ptr(target), T(2)).wait();
    atomic_max(words.ptr(target, 1), mine);
    job.require(fetch_max(words.ptr(target, 1), mine) >= mine, "the greatest so far");
    async_atomic_min(words.ptr(target, 2), static_cast<T>(4 - job.me % 3)).wait();
    job.require(async_fetch_min(words.ptr(target, 2), T(4)).get() <= T(4), "the least so far");
  }
  group::world().barrier();
  job.equal(atomic_get(words.ptr(job.me)), static_cast<T>(5 + 3 * job.workers), "a sum");
  job.equal(async_atomic_get(words.ptr(job.me, 1)).get(), static_cast<T>(9 + job.workers), "the greatest");
  job.equal(words.local()[2], static_cast<T>(4 - std::min(job.workers - 1, 2)), "the least");
  atomic_set(words.ptr(job.me, 3), T(7));
  job.equal(compare_swap(words.ptr(job.me, 3), T(7), T(8)), T(7), "a swap of what was set");
  async_atomic_set(words.ptr(job.me, 3), T(9)).wait();
  job.equal(swap(words.ptr(job.me, 3), T(1)), T(9), "what was set");
  group::world().barrier();
}

// Each element by every worker, and a fence of this array alone.
inline void combinations(const Job& job) {
  const array<double> sums(group::world(), 4);
  const array<long> bits(group::world(), 2);
  std::ranges::copy(std::array{1.0, 1.0, 1.0, 1.0}, sums.local().begin());
  std::ranges::copy(std::array{-1L, 0L}, bits.local().begin());
  group::world().barrier();
  const std::vector<double> two(1, 2.0);
  const std::vector<double> number(1, job.me + 2.0);
  for (int target = 0; target < job.workers; ++target) {
    accumulate<operation::product>(two, sums.ptr(target));
    accumulate<operation::max>(number[0], sums.ptr(target, 1));
    async_accumulate<operation::replace>(two, sums.ptr(target, 2)).wait();
    accumulate<operation::sum>(two, sums.part(target).subspan(3, 1));
    accumulate<operation::bit_and>(~(1L << job.me), bits.ptr(target));
    async_fence(sums.ptr(target)).wait();
  }
  bits.fence();
  job.require((get(bits.ptr(job.workers - 1)) & (1L << job.me)) == 0, "a bit that was taken");
  group::world().barrier();
  job.equal(sums.local()[0], static_cast<double>(1L << job.workers), "a product");
  job.equal(sums.local()[1], job.workers + 1.0, "the greatest");
  job.equal(sums.local()[2], 2.0, "a replaced element");
  job.equal(sums.local()[3], 1.0 + 2 * job.workers, "a sum");
  job.equal(bits.local()[0], ~((1L << job.workers) - 1), "the bits");
  group::world().barrier();
}

// Operands that no int holds.
inline void wide_words(const Job& job) {
  const array<long> words(group::world(), 2);
  words.local()[0] = words.local()[1] = 0;
  group::world().barrier();
  constexpr long step = 5L << 40;
  for (int target = 0; target < job.workers; ++target) {
    fetch_add(words.ptr(target), step);
    (void)async_fetch_add(words.ptr(target), -2 * step).get();
    fetch_or(words.ptr(target, 1), 1L << (40 + job.me % 20));
  }
  group::world().barrier();
  job.equal(words.local()[0], -step * job.workers, "a counter of large steps");
  job.equal(fetch_and(words.ptr(job.me, 1), 1L << 40), words.local()[1] | (1L << 40), "a large mask");
  job.equal(words.local()[1] & (1L << 40), 1L << 40, "a high bit");
  group::world().barrier();
}

inline void parts_of_any_size(const Job& job) {
  std::vector<std::size_t> counts;
  for (int rank = 0; rank < job.workers; ++rank) counts.push_back(static_cast<std::size_t>(rank % 3) * 4);
  array<short> first(group::world(), counts);
  array<short> moved;
  job.require(moved.local().empty(), "an array of nothing");
  moved = std::move(first);
  job.equal(moved.local().size(), counts[static_cast<std::size_t>(job.me)], "the elements here");
  for (int target = 0; target < job.workers; ++target) {
    job.equal(moved.part(target).size(), moved.count(target), "the elements there");
    if (job.me == 0 && moved.count(target) > 0)
      put(static_cast<short>(target), moved.part(target).last(1)[0]);
  }
  group::world().barrier();
  if (!moved.local().empty()) job.equal(moved.local().back(), static_cast<short>(job.me), "the last element");
  job.require(throws<std::out_of_range>([&] { (void)moved.ptr(job.workers); }), "a pointer to no rank");
  counts.pop_back();
  job.require(throws<std::length_error>([&] { array<short>(group::world(), counts); }), "too few counts");
  job.require(throws<std::length_error>([] { array<long>(group::world(), SIZE_MAX / 4); }),
              "too many elements");
  job.require(throws<std::invalid_argument>([] { array<long>(group::view(COMEX_GROUP_NULL), 1); }),
              "an array over no group");

  buffer<long> own(3);
  const array<global_ptr<long>> known(group::world(), 1);
  own.local()[2] = 70 + job.me;
  known.local()[0] = own.part()[2];
  group::world().barrier();
  for (int target = 0; target < job.workers; ++target) {
    job.equal(get(get(known.ptr(target))), 70 + target, "a word of memory of one's own");
  }
  group::world().barrier();
}

}  // namespace comex::testing
