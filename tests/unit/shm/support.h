// The two Os implementations by name, and small helpers that the tests of this folder share.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>

#include "shm/arena.h"
#include "shm/arena_layout.h"
#include "shm/posix_os.h"
#include "support/extents_walk.h"
#include "support/memory_os.h"

namespace comex::shm {

struct OsCase {
  std::string name;
  std::function<std::unique_ptr<Os>()> make;
  Backing backing;
};

inline void PrintTo(const OsCase& which, std::ostream* out) {
  *out << which.name;
}

// For processes without MPI to drive.
inline LockResult take(FairMutex& mutex, const MutexParty& party) {
  MutexTurn turn;
  for (;;) {
    const LockResult taken = mutex.step(turn, party, true);
    if (taken != LockResult::busy) return taken;
    mutex.sleep(turn, 500'000);
  }
}
inline void wait_at(HostBarrier barrier) {
  const std::uint32_t token = barrier.arrive();
  while (!barrier.done(token)) barrier.sleep(token, 1'000'000);
}

inline constexpr std::uint64_t mebibyte = 1 << 20;
inline constexpr std::uint64_t test_large_page_bytes = 2ULL << 20;

// Lets a test do something where the system is asked.
class HookedOs : public MemoryOs {
 public:
  std::function<void()> at_limits = [] {}, at_punch = [] {}, at_sleep = [] {};

  MemoryLimits memory_limits(Backing backing) override {
    at_limits();
    return MemoryOs::memory_limits(backing);
  }
  Status punch(const Object& object, std::uint64_t offset, std::uint64_t bytes) override {
    at_punch();
    return MemoryOs::punch(object, offset, bytes);
  }
  void sleep_ns(std::uint64_t ns) override {
    at_sleep();
    MemoryOs::sleep_ns(ns);
  }
};

inline std::vector<OsCase> os_cases() {
  return {{"memory", [] { return std::make_unique<MemoryOs>(); }, Backing::automatic},
          {"posix_memfd", [] { return make_posix_os(); }, Backing::memfd},
          {"posix_tmpfile", [] { return make_posix_os(); }, Backing::posix}};
}

inline std::string case_name(const testing::TestParamInfo<OsCase>& info) {
  return info.param.name;
}

inline ArenaOptions small_arena(std::uint32_t slots = 1, Backing backing = Backing::automatic) {
  ArenaOptions options;
  options.backing = backing;
  options.geometry.slots = slots;
  options.geometry.reservation_bytes = 256ULL << 20;
  options.keep_bytes = 16ULL << 20;
  return options;
}

// Created and mapped at its first candidate where nothing is, as a world does it: candidates are drawn at
// random, and another arena of this process may lie there.
inline Arena mapped_arena(Os& os, const ArenaOptions& options) {
  Result<Arena> made = Arena::create(os, options);
  if (!made) throw std::runtime_error(made.failure().text);
  Arena arena = std::move(made).value();
  Status mapped;
  for (std::uint32_t attempt = 0; attempt < address_attempts; ++attempt) {
    mapped = arena.map_at(arena.candidate(attempt));
    if (mapped) return arena;
    arena.unmap();
  }
  throw std::runtime_error(mapped.failure().text);
}

inline Arena attached_arena(Os& os, const ArenaTicket& ticket, HostSlot slot, std::uint64_t address) {
  Result<Arena> made = Arena::attach(os, ticket, slot);
  if (!made) throw std::runtime_error(made.failure().text);
  Arena arena = std::move(made).value();
  const Status mapped = address != 0 ? arena.map_at(address) : arena.map_anywhere();
  if (!mapped) throw std::runtime_error(mapped.failure().text);
  return arena;
}

inline ExtentsBlock& block_of(const Arena& arena) {
  return reinterpret_cast<ArenaHeader*>(arena.base())->extents;
}

inline bool is_consistent(Arena& arena) {
  static_cast<void>(arena.extents().live());  // takes the lock, and so repairs what a dead holder has left
  return ExtentsWalk(block_of(arena), arena.base(), arena.geometry()).is_consistent();
}

}  // namespace comex::shm
