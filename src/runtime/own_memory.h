// Memory of this worker's own in its host's arena, placed where a program asks: what the calls that allocate
// and free are made of, and how both say that members do not do the same.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/call.h"

namespace comex::runtime {

// The id of memory that no call of the program may free.
inline constexpr std::uint64_t internal_memory = ~0ULL;

// Null for 0 bytes. `id`: of the allocation that it is a part of, 0 for what free_local frees. `device`:
// null, or as comex_malloc_mem_dev has it.
Result<void*> allocate_own(Runtime& runtime, std::size_t bytes, std::uint64_t id, const char* device);
void release_own(Runtime& runtime, void* address);  // null is allowed

// Some members allocate and some free in one collective call: this one says so if it is the odd one.
int fail_apart(Runtime& runtime, const Context& where, bool is_odd, const char* what);

}  // namespace comex::runtime
