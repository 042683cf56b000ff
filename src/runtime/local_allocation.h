// Allocates and frees this worker's own memory in its host's arena, placed where the program asks. The memory
// calls build on it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/call.h"

namespace comex::runtime {

// The id of memory that no call of the program may free.
inline constexpr std::uint64_t internal_memory = ~0ULL;

// Returns null for 0 bytes. `id`: of the allocation it belongs to, 0 for memory that free_local frees.
// `device`: null, or a device as comex_malloc_mem_dev takes it.
Result<void*> allocate_own(Runtime& runtime, std::size_t bytes, std::uint64_t id, const char* device);
void release_own(Runtime& runtime, void* address);  // null is allowed

// What the program gets of the arena goes through this first. `is_near`: it lies near its owner, if the host
// has several memory nodes.
void make_ready(Runtime& runtime, const shm::Extent& extent, bool is_near = true);

}  // namespace comex::runtime
