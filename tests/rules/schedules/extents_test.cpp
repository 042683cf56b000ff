// The table of extents while some allocate and free and others check: in every order, and with a process that
// dies while it holds the lock.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "rules/schedules/scheduled_os.h"
#include "shm/extents.h"
#include "support/extents_walk.h"

namespace comex::rules {
namespace {

using shm::Extents;
using shm::page_bytes;

constexpr shm::HostSlot slots = 3;
constexpr std::uint64_t data_bytes = 3 * shm::span_bytes;
constexpr std::uint64_t table_bytes = data_bytes / page_bytes * sizeof(std::uint32_t);
constexpr std::uint64_t data_offset = 3 * page_bytes + shm::round_up(table_bytes, page_bytes);
constexpr std::size_t shared_bytes = data_offset + page_bytes;  // of the data only slabs use some

// One allocation, and when it may be found: from the call that makes it to the end of the call that retires
// it.
struct Lifetime {
  Worker owner = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  unsigned long asked = 0, made = 0;
  unsigned long freed = ~0UL, gone = ~0UL;

  bool covers(Worker worker, std::uint64_t at, std::uint64_t length) const {
    return owner == worker && at >= offset && at - offset < bytes && length <= bytes - (at - offset);
  }
};

struct Look {
  Worker owner;
  std::uint64_t offset;
  std::uint64_t bytes;
  bool is_covered;
  unsigned long from, to;
};

class ExtentSchedules : public testing::Test {
 protected:
  void begin(std::uint64_t keep_bytes) {
    lifetimes.clear();
    looks.clear();
    extents.clear();
    site = {};
    site.os = &os;
    site.object = &object;
    site.base = shared_memory();
    site.block = &shared_at<shm::ExtentsBlock>(0);
    site.first_slot = &shared_at<shm::SlotMemory>(2048);
    site.slot_stride = 64;
    site.keep_bytes = keep_bytes;
    site.on_touch = true;
    site.geometry.slots = slots;
    site.geometry.max_records = 32;
    site.geometry.reservation_bytes = data_offset + data_bytes;
    site.geometry.spans_offset = page_bytes;
    site.geometry.records_offset = 2 * page_bytes;
    site.geometry.table_offset = 3 * page_bytes;
    site.geometry.data_offset = data_offset;
    for (site.slot = 0; site.slot < slots; ++site.slot) extents.push_back(std::make_unique<Extents>(site));
    extents.front()->format();
  }

  std::size_t allocate(shm::HostSlot slot, std::uint64_t bytes) { return allocate_for(slot, slot, bytes); }
  std::size_t allocate_for(Worker owner, shm::HostSlot slot, std::uint64_t bytes) {
    const unsigned long asked = scheduler().time();
    Result<shm::Extent> made = extents[slot]->allocate(owner, bytes, 1);
    EXPECT_TRUE(static_cast<bool>(made));
    if (!made) return 0;
    for (const Lifetime& other : lifetimes) {
      const bool is_apart =
          made->offset + made->reserved <= other.offset || other.offset + other.bytes <= made->offset;
      EXPECT_TRUE(is_apart || other.freed != ~0UL) << "memory that somebody has was given away";
    }
    lifetimes.push_back({owner, made->offset, bytes, asked, scheduler().time()});
    return lifetimes.size() - 1;
  }
  void release(shm::HostSlot slot, std::size_t number) {
    lifetimes[number].freed = scheduler().time();
    EXPECT_TRUE(extents[slot]->retire(lifetimes[number].offset));
    lifetimes[number].gone = scheduler().time();
    EXPECT_TRUE(extents[slot]->release(lifetimes[number].offset));
  }
  void look(shm::HostSlot slot, Worker owner, std::uint64_t offset, std::uint64_t bytes) {
    const unsigned long from = scheduler().time();
    const bool is_covered = extents[slot]->covers(owner, offset, bytes);
    looks.push_back({owner, offset, bytes, is_covered, from, scheduler().time()});
  }

  // A check says yes only of what somebody had meanwhile, in one piece, and no only of what nobody had
  // throughout.
  void judge() {
    for (const Look& each : looks) {
      bool could_be = false, must_be = false;
      for (const Lifetime& life : lifetimes) {
        if (!life.covers(each.owner, each.offset, each.bytes)) continue;
        could_be |= life.asked <= each.to && each.from <= life.gone;
        must_be |= life.made <= each.from && each.to <= life.freed;
      }
      if (each.is_covered) {
        EXPECT_TRUE(could_be) << "an extent that never was: owner " << each.owner << ", page "
                              << (each.offset - data_offset) / page_bytes << ", " << each.bytes << " bytes";
      } else {
        EXPECT_FALSE(must_be) << "an extent was not found";
      }
    }
    static_cast<void>(extents.front()->live());  // takes the lock, and so repairs what a dead holder has left
    const shm::ExtentsWalk walk(*site.block, site.base, site.geometry);
    EXPECT_TRUE(walk.is_consistent());
  }

  ScheduledOs os;
  shm::Object object;
  Extents::ExtentsSite site;
  std::vector<std::unique_ptr<Extents>> extents;
  std::vector<Lifetime> lifetimes;
  std::vector<Look> looks;
};

TEST_F(ExtentSchedules, show_no_extent_half_made) {
  for (const std::uint64_t keep_bytes : {std::uint64_t{0}, data_bytes}) {
    Scenario scenario;
    scenario.shared_bytes = shared_bytes;
    scenario.begin = [&] { begin(keep_bytes); };
    scenario.processes = {[&] {
                            const std::size_t first = allocate(0, 2 * page_bytes);
                            release(0, first);
                            allocate(0, 5000);
                          },
                          [&] { allocate(1, 3 * page_bytes); },
                          [&] {
                            look(2, 0, data_offset, 6000);
                            look(2, 1, data_offset + page_bytes, page_bytes);
                          }};
    scenario.end = [&] { judge(); };
    scenario.preemptions = 1;
    expect_in_every_schedule(keep_bytes == 0 ? "extents" : "extents that are kept", scenario);
  }
}

// One record changes its owner and its size under a check, which must not mix the old and the new.
TEST_F(ExtentSchedules, mix_no_two_owners_of_one_place) {
  Scenario scenario;
  scenario.shared_bytes = shared_bytes;
  scenario.begin = [&] { begin(data_bytes); };
  scenario.processes = {[&] {
                          const std::size_t first = allocate_for(0, 0, 2 * page_bytes);
                          release(0, first);
                          allocate_for(1, 0, 5000);
                        },
                        [&] {
                          look(1, 1, data_offset, 8000);
                          look(1, 0, data_offset, 5000);
                        }};
  scenario.end = [&] { judge(); };
  scenario.preemptions = 3;
  expect_in_every_schedule("extents of one place", scenario);
}

// Two extents that lie across the two ends of a span share its entry.
TEST_F(ExtentSchedules, name_both_extents_of_a_span) {
  Scenario scenario;
  scenario.shared_bytes = shared_bytes;
  scenario.begin = [&] { begin(0); };
  scenario.processes = {[&] {
                          const std::size_t first = allocate(0, shm::span_bytes + 2 * page_bytes);
                          release(0, first);
                          allocate(0, shm::span_bytes + page_bytes);
                        },
                        [&] { allocate(1, shm::span_bytes); }};
  scenario.end = [&] {
    for (const Lifetime& life : lifetimes) {
      if (life.freed == ~0UL) look(0, life.owner, life.offset, life.bytes);
    }
    judge();
  };
  scenario.preemptions = 1;
  expect_in_every_schedule("extents of one span", scenario);
}

// An entry of a span no longer names what is gone.
TEST_F(ExtentSchedules, mix_no_extents_that_lay_across_a_span) {
  Scenario scenario;
  scenario.shared_bytes = shared_bytes;
  scenario.begin = [&] { begin(0); };
  scenario.processes = {[&] {
                          const std::size_t first = allocate(0, shm::span_bytes + 2 * page_bytes);
                          const std::size_t second = allocate(0, shm::span_bytes);
                          release(0, first);
                          allocate(0, 3 * page_bytes);
                          release(0, second);
                          allocate(0, 2 * shm::span_bytes);
                        },
                        [&] {
                          look(1, 0, data_offset + shm::span_bytes, page_bytes);
                          look(1, 0, data_offset + shm::span_bytes + 3 * page_bytes, page_bytes);
                          look(1, 0, data_offset, 2 * page_bytes);
                        }};
  scenario.end = [&] { judge(); };
  scenario.preemptions = 2;
  expect_in_every_schedule("extents across spans", scenario);
}

TEST_F(ExtentSchedules, show_no_small_block_half_made) {
  Scenario scenario;
  scenario.shared_bytes = shared_bytes;
  scenario.begin = [&] { begin(0); };
  scenario.processes = {[&] {
                          const std::size_t first = allocate(0, 100);
                          release(0, first);
                          allocate(0, 5000);
                          allocate(0, 120);
                        },
                        [&] {
                          // Where the first block of a slab of cells of 128 bytes lies.
                          const std::uint64_t words = shm::slab_bytes / 128 * sizeof(std::uint32_t);
                          look(1, 0, data_offset + words, 100);
                          look(1, 0, data_offset + words, 120);
                        }};
  scenario.end = [&] { judge(); };
  scenario.preemptions = 3;
  expect_in_every_schedule("small blocks", scenario);
}

// What the dead one had is lost; the records are repaired, and the others go on.
TEST_F(ExtentSchedules, are_repaired_when_a_process_dies) {
  unsigned long rebuilds = 0;
  Scenario scenario;
  scenario.shared_bytes = shared_bytes;
  scenario.begin = [&] { begin(data_bytes); };
  scenario.processes = {[&] {
                          const std::size_t first = allocate(0, 2 * page_bytes);
                          release(0, first);
                        },
                        [&] {
                          const std::size_t first = allocate(1, 5000);
                          look(1, 1, lifetimes[first].offset, 5000);
                        }};
  scenario.end = [&] {
    static_cast<void>(extents[1]->live());  // takes the lock, and so repairs what is left
    rebuilds += site.block->rebuilds;
    judge();
  };
  scenario.preemptions = 1;
  scenario.mortal = 0;
  scenario.time_passes = true;
  expect_in_every_schedule("extents with a dead process", scenario);
  EXPECT_GT(rebuilds, 10u);
}

TEST_F(ExtentSchedules, are_lost_with_no_process_that_dies_while_it_gives_back_what_was_kept) {
  unsigned long rebuilds = 0;
  Scenario scenario;
  scenario.shared_bytes = shared_bytes;
  scenario.begin = [&] {
    begin(shm::keep_a_share);
    release(0, allocate(0, 2 * page_bytes));
    scheduler().pass(11'000'000'000);
  };
  scenario.processes = {[&] { extents[0]->give_back_unused(); },
                        [&] { look(1, 0, data_offset, page_bytes); }};
  scenario.end = [&] {
    static_cast<void>(extents[1]->live());  // takes the lock, and so repairs what is left
    rebuilds += site.block->rebuilds;
    EXPECT_EQ(site.block->live_bytes, 0u) << "nobody has any";
    judge();
  };
  scenario.preemptions = 1;
  scenario.mortal = 0;
  expect_in_every_schedule("kept extents with a dead process", scenario);
  EXPECT_GT(rebuilds, 3u);
}

}  // namespace
}  // namespace comex::rules
