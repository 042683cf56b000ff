// The fixed part of an arena as structs: the header page, and one block for each host slot.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shm/doorbell.h"
#include "shm/extents.h"
#include "shm/geometry.h"
#include "shm/locks/barrier.h"
#include "shm/locks/locks.h"
#include "shm/locks/mutex_sets.h"

namespace comex::shm {

struct ArenaHeader {
  unsigned char os_prefix[object_prefix_bytes];  // reserved for Os
  ExtentsBlock extents;
};
static_assert(sizeof(ArenaHeader) <= page_bytes);

struct SlotBlock {
  DoorbellBlock doorbell;
  alignas(64) std::atomic<std::uint64_t> committing;  // bytes that this slot is committing at present
  MutexSetBlock mutexes;
  unsigned char unused[slot_block_bytes - sizeof(DoorbellBlock) - 64 - sizeof(MutexSetBlock)];
};
static_assert(offsetof(SlotBlock, doorbell) == 0 && sizeof(SlotBlock) == slot_block_bytes);

}  // namespace comex::shm
