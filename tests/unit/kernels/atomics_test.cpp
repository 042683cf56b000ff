// Atomic operations as a table: what each does to a word of each width and kind.
#include "kernels/atomics.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <thread>
#include <vector>

namespace comex::kernels {
namespace {

using protocol::Atomic;

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

// The words beside it stay as they are, and the old value comes back without what lies beside it.
template <class T>
void expect(Atomic atomic, T before, T operand, T after, T desired = {}) {
  alignas(8) T words[3] = {T{1}, before, T{1}};
  const auto bits = [](T value) { return std::uint64_t{std::bit_cast<Bits<T>>(value)}; };
  const std::uint64_t junk = sizeof(T) == 4 ? std::uint64_t{0xdeadbeef} << 32 : 0;
  const std::uint64_t old = modify({atomic, sizeof(T), bits(operand) | junk, bits(desired) | junk},
                                   reinterpret_cast<std::byte*>(words + 1));
  EXPECT_EQ(old, bits(before)) << "atomic " << static_cast<int>(atomic);
  EXPECT_EQ(bits(words[1]), bits(after)) << "atomic " << static_cast<int>(atomic);
  EXPECT_TRUE(words[0] == T{1} && words[2] == T{1});
}

template <class T>
void expect_bits() {
  const T high = std::numeric_limits<T>::max();
  expect<T>(Atomic::fetch, high, T{3}, high);
  expect<T>(Atomic::swap, high, T{3}, T{3});
  expect<T>(Atomic::fetch_add, high, T{1}, std::numeric_limits<T>::min());
  expect<T>(Atomic::fetch_and, T{0x0ff0}, T{0x1f00}, T{0x0f00});
  expect<T>(Atomic::fetch_or, T{0x0ff0}, T{0x1f00}, T{0x1ff0});
  expect<T>(Atomic::fetch_xor, T{0x0ff0}, T{0x1f00}, T{0x10f0});
  expect<T>(Atomic::compare_swap, high, T{5}, high, T{9});
  expect<T>(Atomic::compare_swap, high, high, T{9}, T{9});
}

template <class T>
void expect_extremes(Atomic least, Atomic most) {
  const T low = std::numeric_limits<T>::lowest();
  const T high = std::numeric_limits<T>::max();
  expect<T>(least, low, high, low);
  expect<T>(least, high, low, low);
  expect<T>(most, low, high, high);
  expect<T>(most, high, low, high);
}

template <class T>
void expect_reals() {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T minus_zero = -T{0};
  expect<T>(Atomic::fetch_add_real, T{0.5}, T{-2}, T{-1.5});
  expect_extremes<T>(Atomic::fetch_least_real, Atomic::fetch_most_real);
  for (const Atomic atomic : {Atomic::fetch_least_real, Atomic::fetch_most_real}) {
    expect<T>(atomic, nan, T{2}, T{2});
    expect<T>(atomic, T{2}, nan, T{2});
    expect<T>(atomic, T{0}, minus_zero, T{0});
    expect<T>(atomic, minus_zero, T{0}, minus_zero);
  }
  expect<T>(Atomic::compare_swap, nan, nan, T{4}, T{4});
  expect<T>(Atomic::compare_swap, T{0}, minus_zero, T{0}, T{4});
}

TEST(Atomics, do_what_the_table_says) {
  expect_bits<std::int32_t>();
  expect_bits<std::int64_t>();
  expect_extremes<std::int32_t>(Atomic::fetch_least, Atomic::fetch_most);
  expect_extremes<std::int64_t>(Atomic::fetch_least, Atomic::fetch_most);
  expect_extremes<std::uint32_t>(Atomic::fetch_least_unsigned, Atomic::fetch_most_unsigned);
  expect_extremes<std::uint64_t>(Atomic::fetch_least_unsigned, Atomic::fetch_most_unsigned);
  expect_reals<float>();
  expect_reals<double>();
}

TEST(Atomics, of_all_threads_lose_nothing) {
  alignas(8) double sum = 0;
  alignas(8) std::int64_t count = 0;
  constexpr int turns = 20000;
  const auto add = [&](std::int64_t first) {
    for (std::int64_t i = 0; i < turns; ++i) {
      modify({Atomic::fetch_add_real, 8, std::bit_cast<std::uint64_t>(1.0)},
             reinterpret_cast<std::byte*>(&sum));
      modify({i % 2 == 0 ? Atomic::fetch_add : Atomic::fetch_most, 8,
              static_cast<std::uint64_t>(i % 2 == 0 ? 1 : first)},
             reinterpret_cast<std::byte*>(&count));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(add, -i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 3.0 * turns);
  EXPECT_EQ(count, 3 * turns / 2);
}

TEST(Atomics, publish_by_a_store_or_an_addition) {
  alignas(8) std::uint64_t word = 5;
  publish(7, false, reinterpret_cast<std::byte*>(&word));
  EXPECT_EQ(word, 7u);
  publish(3, true, reinterpret_cast<std::byte*>(&word));
  EXPECT_EQ(word, 10u);
}

}  // namespace
}  // namespace comex::kernels
