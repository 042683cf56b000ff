// What memory costs: of one's own, fresh, again, and used, and allocated over all workers. On the runtime
// that has none of its own (the floors) it is malloc.
//
// A fresh block has never been one before: many live at once, and each worker goes once through them. `Used`
// means that a byte of every page is written, as a program fills what it allocates.
#pragma once

#include <span>

#include "meeting_rows.h"

namespace bench {

inline constexpr std::size_t chemistry_bytes =
    42'000'000;  // of a block that a chemistry program allocates in a loop
inline constexpr std::size_t touched_every = 4096;

// A short run asks whether the rows are right: runtimes that take seconds for the largest need not show it.
inline std::size_t block_bytes(const Rig& rig, std::size_t bytes) {
  constexpr std::size_t most_of_short_runs = std::size_t{4} << 20;
  return rig.options.is_short() ? std::min(bytes, most_of_short_runs) : bytes;
}

inline void touch(std::byte* block, std::size_t bytes, std::byte value) {
  for (std::size_t at = 0; at < bytes; at += touched_every) block[at] = value;
  block[bytes - 1] = value;
}

inline bool is_touched(const std::byte* block, std::size_t bytes, std::byte value) {
  bool is_right = block[bytes - 1] == value;
  for (std::size_t at = 0; at < bytes; at += touched_every) is_right = is_right && block[at] == value;
  return is_right;
}

enum class Fresh { untouched, used };

// Their first bytes tell whether each is a block of its own, once all are there.
inline Answer fresh_local_row(Rig& rig, std::size_t bytes, Fresh fresh) {
  constexpr std::size_t most_live_bytes = std::size_t{256} << 20;
  const std::size_t live = std::clamp<std::size_t>(most_live_bytes / bytes, 2, 1000);
  std::vector<std::byte*> blocks(live);
  rig.rt.barrier();
  const double before = now_ns();
  for (std::byte*& block : blocks) {
    block = rig.rt.allocate_local(bytes);
    if (fresh == Fresh::used && block != nullptr) touch(block, bytes, std::byte{1});
  }
  const double taken = now_ns() - before;
  bool is_right = true;
  for (std::size_t i = 0; i < live; ++i) {
    is_right = is_right && blocks[i] != nullptr;
    if (is_right) std::memcpy(blocks[i], &i, sizeof i);
  }
  for (std::size_t i = 0; is_right && i < live; ++i) is_right = std::memcmp(blocks[i], &i, sizeof i) == 0;
  for (std::byte* block : blocks) rig.rt.release_local(block);
  rig.rt.barrier();
  return answer(rig, taken / static_cast<double>(live), is_right);
}

// As few as make a mean: runtimes that commit what they allocate take long. Told apart as local ones are.
inline Answer fresh_allocation_row(Rig& rig, std::size_t bytes, Fresh fresh) {
  constexpr std::size_t most_live_bytes = std::size_t{1} << 30;
  std::vector<Segment> made(std::clamp<std::size_t>(most_live_bytes / bytes, 1, 3));
  rig.rt.barrier();
  const double before = now_ns();
  for (Segment& segment : made) {
    segment = rig.rt.allocate(bytes);
    if (fresh == Fresh::used) touch(rig.rt.own(segment), bytes, std::byte{1});
  }
  const double taken = now_ns() - before;
  for (std::size_t i = 0; i < made.size(); ++i) std::memcpy(rig.rt.own(made[i]), &i, sizeof i);
  bool is_right = true;
  for (std::size_t i = 0; i < made.size(); ++i) {
    is_right = is_right && std::memcmp(rig.rt.own(made[i]), &i, sizeof i) == 0;
  }
  rig.rt.barrier();
  for (Segment& segment : made) rig.rt.release(segment);
  return answer(rig, taken / static_cast<double>(made.size()), is_right);
}

inline Answer used_allocation_row(Rig& rig, std::size_t bytes) {
  bool is_right = true;
  const Timing timing = by_all(rig, [&](long i) {
    Segment made = rig.rt.allocate(bytes);
    const auto value = static_cast<std::byte>(i);
    touch(rig.rt.own(made), bytes, value);
    is_right = is_right && *(rig.rt.own(made) + bytes - 1) == value;
    rig.rt.release(made);
  });
  return answer(rig, timing.nanoseconds, is_right);
}

inline Answer local_row(Rig& rig, std::size_t bytes, bool is_used) {
  bool is_right = true;
  const Timing timing = by_origin(rig, [&](long i) {
    std::byte* const block = rig.rt.allocate_local(bytes);
    is_right = is_right && block != nullptr;
    const auto value = static_cast<std::byte>(i);
    if (is_used && is_right) touch(block, bytes, value);
    keep(block);
    rig.rt.release_local(block);
  });
  std::byte* const block = rig.rt.allocate_local(bytes);
  touch(block, bytes, std::byte{7});
  is_right = is_right && is_touched(block, bytes, std::byte{7});
  rig.rt.release_local(block);
  return answer(rig, timing.nanoseconds, is_right);
}

inline void add_memory_rows(Rows& rows) {
  constexpr std::size_t sizes[] = {16, 4096, std::size_t{1} << 20, chemistry_bytes, std::size_t{1} << 30};
  // Of every worker, several live blocks that are touched: 1 GiB of each would fill a machine.
  const std::span live_sizes(sizes, 4);
  const auto add = [&rows](const char* what, std::span<const std::size_t> of, Need need, auto row) {
    for (const std::size_t bytes : of) {
      rows.push_back({what + std::to_string(bytes), "ns", need,
                      [bytes, row](Rig& rig) { return row(rig, block_bytes(rig, bytes)); }});
    }
  };
  add("local_fresh.", sizes, Need::local_memory,
      [](Rig& rig, std::size_t bytes) { return fresh_local_row(rig, bytes, Fresh::untouched); });
  add("local_fresh_used.", live_sizes, Need::local_memory,
      [](Rig& rig, std::size_t bytes) { return fresh_local_row(rig, bytes, Fresh::used); });
  add("local_again.", sizes, Need::local_memory,
      [](Rig& rig, std::size_t bytes) { return local_row(rig, bytes, false); });
  add("local_used.", sizes, Need::local_memory,
      [](Rig& rig, std::size_t bytes) { return local_row(rig, bytes, true); });
  add("malloc_fresh.", sizes, Need::allocation,
      [](Rig& rig, std::size_t bytes) { return fresh_allocation_row(rig, bytes, Fresh::untouched); });
  add("malloc_fresh_used.", live_sizes, Need::allocation,
      [](Rig& rig, std::size_t bytes) { return fresh_allocation_row(rig, bytes, Fresh::used); });
  add("malloc_used.", sizes, Need::allocation, used_allocation_row);
  add("malloc_free.", sizes, Need::allocation, allocation_row);
}

}  // namespace bench
