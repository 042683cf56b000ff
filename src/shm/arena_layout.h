// The fixed part of an arena as structs: the header page, and one block for each host slot.
#pragma once

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

// The end of the header page, for programs that watch a job and have only the object (tools/comex_top).
struct ArenaMap {
  static constexpr std::uint64_t right_magic = 0x3450414d58454d43;  // "CMEXMAP4"; changes with the layout
  std::uint64_t magic;
  std::uint64_t world;
  std::uint64_t job;  // the same in all arenas of a world, whose hosts may be virtual
  Geometry geometry;
};
inline constexpr std::uint64_t arena_map_offset = page_bytes - sizeof(ArenaMap);
static_assert(sizeof(ArenaHeader) <= arena_map_offset && arena_map_offset % 8 == 0);

struct SlotBlock {
  DoorbellBlock doorbell;
  alignas(64) SlotMemory memory;
  MutexSetBlock mutexes;
  unsigned char unused[slot_block_bytes - sizeof(DoorbellBlock) - 64 - sizeof(MutexSetBlock)];
};
static_assert(offsetof(SlotBlock, doorbell) == 0 && sizeof(SlotBlock) == slot_block_bytes);

}  // namespace comex::shm
