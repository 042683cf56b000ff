// comex.hpp: patches, pieces, and how large calls are split.
#pragma once

#include <set>

#include "mpi/cpp_data.h"

namespace comex::testing {

// Every worker's rows of a matrix on each worker: a part of them is put, accumulated, and got transposed.
inline void patches(const Job& job) {
  constexpr std::size_t rows = 6;
  constexpr std::size_t columns = 9;
  const auto me = static_cast<std::size_t>(job.me);
  const auto workers = static_cast<std::size_t>(job.workers);
  const array<double> memory(group::world(), workers * rows * columns);
  std::fill(memory.local().begin(), memory.local().end(), 0.0);
  group::world().barrier();
  std::vector<double> near(rows * columns);
  std::iota(near.begin(), near.end(), 1.0);
  const patch<const double, 2> source(near.data(), {rows, columns});
  for (int target = 0; target < job.workers; ++target) {
    const global_patch<double, 2> whole(memory.ptr(target), {workers * rows, columns});
    const auto place = whole.sub({me * rows + 1, 2}, {4, 5});
    put(source.sub({2, 1}, {4, 5}), place);
    accumulate(source.sub({2, 1}, {4, 5}), place, 10.0);
    async_accumulate(source.sub({2, 1}, {4, 5}), place).wait();
    std::vector<double> turned(20, -1);
    get(place, patch<double, 2>(turned.data(), {4, 5}, {1, 4}));
    std::vector<double> back(columns * rows, -1);
    const patch<double, 2> all(back.data(), {rows, columns});
    async_get(whole.sub({me * rows, 0}, {rows, columns}), all).wait();
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        const double expected = 12 * source(i + 2, j + 1);
        job.equal(turned[i + 4 * j], expected, "an element of a patch that was turned");
        job.equal(all(i + 1, j + 2), expected, "an element of a patch");
      }
    }
    job.equal(std::accumulate(turned.begin(), turned.end(), 0.0),
              std::accumulate(back.begin(), back.end(), 0.0), "the sum of what lies around the patch");
    job.require(throws<std::length_error>([&] { put(source, place); }), "extents that differ");
    job.require(throws<std::out_of_range>([&] {
                  (void)place.sub({1, 0}, {4, 5});
                }),
                "a patch outside a patch");
    put(source.sub({0, 0}, {0, 3}), whole.sub({0, 0}, {0, 3}));
  }
  group::world().barrier();
}

// Dimensions without a contiguous one, and the most there can be.
inline void patches_of_many_dimensions(const Job& job) {
  const array<int> memory(group::world(), 4096);
  const int next = (job.me + 1) % job.workers;
  std::fill(memory.local().begin(), memory.local().end(), -1);
  group::world().barrier();
  std::vector<int> near(256);
  std::iota(near.begin(), near.end(), 1000 * job.me);
  const std::array<std::size_t, 8> extents{2, 2, 2, 2, 2, 2, 2, 2};
  const std::array<std::size_t, 8> apart{2048, 1024, 512, 256, 128, 64, 16, 3};
  async_put(patch<const int, 8>(near.data(), extents), global_patch<int, 8>(memory.ptr(next), extents, apart))
      .wait();
  group::world().fence(next);
  std::vector<int> back(256);
  get(global_patch<const int, 8>(memory.ptr(next), extents, apart), patch<int, 8>(back.data(), extents));
  job.require(back == near, "a patch of eight dimensions");
  job.equal(get(memory.ptr(next, 2048 + 64 + 16 + 3)), near[128 + 4 + 2 + 1], "one of its elements");
  job.equal(get(memory.ptr(next, 1)), -1, "an element between them");
  group::world().barrier();
}

// As a large transfer is split, with a small limit, over plain memory.
inline void splits(const Job& job) {
  constexpr std::size_t most = 20;
  const detail::sides<3> both{{3, 5, 7}, {140, 28, 4}, {4, 60, 12}, 4};
  std::set<std::pair<std::size_t, std::size_t>> places;
  std::size_t moved = 0;
  const auto move = [&](const detail::sides<3>& part, std::size_t near, std::size_t far) {
    const detail::levels<3> of(part);
    job.require(part.extents[2] <= 5 && of.number <= 3, "numbers of a part");
    for (std::size_t i = 0; i < part.extents[0]; ++i) {
      for (std::size_t j = 0; j < part.extents[1]; ++j) {
        for (std::size_t k = 0; k < part.extents[2]; ++k, ++moved) {
          places.emplace(near + i * 140 + j * 28 + k * 4, far + i * 4 + j * 60 + k * 12);
        }
      }
    }
    job.require(of.near[0] <= static_cast<int>(most) && of.far[0] <= static_cast<int>(most),
                "strides of a part");
  };
  detail::in_parts(both, 0, 0, most, move);
  job.equal(moved, 3U * 5 * 7, "elements moved");
  job.equal(places.size(), moved, "different elements moved");
  const detail::levels<2> turned(detail::sides<2>{{4, 6}, {8, 32}, {8, 80}, 8});
  job.require(turned.number == 1 && turned.count[0] == 32 && turned.count[1] == 6 && turned.far[0] == 80,
              "runs along a first dimension that is contiguous");
}

// More than 2 GiB in one call, and a stride that no int holds. Needs 4.4 GB, whose first touch takes most of
// the time.
inline void more_than_two_gigabytes(const Job& job) {
  constexpr std::size_t count = 540'000'000;
  constexpr std::size_t apart = 538'000'000;
  const auto pattern = [](std::size_t i) { return static_cast<unsigned>(i ^ (i >> 9)); };
  const int last = job.workers - 1;
  std::vector<std::size_t> counts(static_cast<std::size_t>(job.workers), 0);
  counts.back() = count;
  const array<int> memory(group::world(), counts);
  if (job.me == 0) {
    std::vector<int> near(count);
    for (std::size_t i = 0; i < count; ++i) near[i] = static_cast<int>(pattern(i));
    put(near, memory.part(last));
    accumulate(near, memory.part(last), 2);
    async_get(memory.part(last), near).wait();
    bool are_equal = true;
    for (std::size_t i = 0; i < count; ++i) {
      are_equal = are_equal && static_cast<unsigned>(near[i]) == 3 * pattern(i);
    }
    job.require(are_equal, "what came back from a large array");
    const global_patch<const int, 2> rows(memory.ptr(last, 3), {2, 100}, {apart, 1});
    std::vector<int> got(200);
    get(rows, patch<int, 2>(got.data(), {2, 100}));
    job.require(got[0] == near[3] && got[199] == near[3 + apart + 99], "rows that lie far apart");
  }
  group::world().barrier();
}

inline void scattered_pieces(const Job& job) {
  constexpr std::size_t count = 40;
  const array<int> memory(group::world(), 3 * count * static_cast<std::size_t>(job.workers));
  std::fill(memory.local().begin(), memory.local().end(), 0);
  group::world().barrier();
  std::vector<int> near(2 * count);
  std::iota(near.begin(), near.end(), 1);
  for (int target = 0; target < job.workers; ++target) {
    const global_ptr<int> first = memory.ptr(target, 3 * count * static_cast<std::size_t>(job.me));
    pieces<int> list(2);
    for (std::size_t i = 0; i < count; ++i) {
      list.add(&near[2 * i], first + static_cast<std::ptrdiff_t>(3 * (count - 1 - i)));
    }
    put(list);
    accumulate(list, 3);
    async_accumulate(list).wait();
    std::vector<int> back(2 * count);
    pieces<int> other(2);
    for (std::size_t i = 0; i < count; ++i) {
      other.add(&back[2 * i], first + static_cast<std::ptrdiff_t>(3 * (count - 1 - i)));
    }
    get(other);
    for (std::size_t i = 0; i < back.size(); ++i) job.equal(back[i], 5 * near[i], "an element of a piece");
    std::fill(back.begin(), back.end(), 0);
    async_put(list).wait();
    async_get(other).wait();
    job.require(back == near, "pieces that went without waiting");
    job.equal(get(first + 2), 0, "an element between pieces");
    if (job.workers > 1) {
      const global_ptr<int> elsewhere = memory.ptr((target + 1) % job.workers);
      job.require(throws<std::invalid_argument>([&] { list.add(near.data(), elsewhere); }), "two ranks");
    }
    list.clear();
    put(list);
  }
  group::world().barrier();
}

// Others than the scaled sum, of patches and pieces.
inline void combined_patches(const Job& job) {
  const array<int> memory(group::world(), 12 * static_cast<std::size_t>(job.workers));
  std::fill(memory.local().begin(), memory.local().end(), 5);
  group::world().barrier();
  std::vector<int> near(12);
  std::iota(near.begin(), near.end(), 0);
  const patch<const int, 2> source(near.data(), {3, 4});
  for (int target = 0; target < job.workers; ++target) {
    const global_ptr<int> first = memory.ptr(target, 12 * static_cast<std::size_t>(job.me));
    const global_patch<int, 2> place(first, {3, 4});
    accumulate<operation::max>(source.sub({0, 1}, {3, 2}), place.sub({0, 1}, {3, 2}));
    async_accumulate<operation::product>(source.sub({0, 0}, {3, 1}), place.sub({0, 0}, {3, 1})).wait();
    pieces<int> list(1);
    for (std::size_t row = 0; row < 3; ++row)
      list.add(&near[4 * row + 3], first + static_cast<std::ptrdiff_t>(4 * row + 3));
    accumulate<operation::bit_xor>(list);
    async_accumulate<operation::min>(list).wait();
    int greatest = 1 << 20;
    async_accumulate<operation::max>(greatest, first + 11).wait();
    std::vector<int> back(12);
    get(global_patch<const int, 2>(first, {3, 4}), patch<int, 2>(back.data(), {3, 4}));
    for (int i = 0; i < 12; ++i) {
      const int expected = i == 11      ? greatest
                           : i % 4 == 0 ? 5 * i
                           : i % 4 == 3 ? std::min(5 ^ i, i)
                                        : std::max(5, i);
      job.equal(back[static_cast<std::size_t>(i)], expected, "an element that was combined");
    }
  }
  group::world().barrier();
}

}  // namespace comex::testing
