// What the calls for memory and mutexes build on: this worker's own memory in its host's arena, placed where
// the program asks, and the words by which the members of a group agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/allocation_words.h"
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

// In a small group, or on one host, everybody gets everybody's word in one gather. In a large group only the
// verdict travels; addresses follow, if there are any, straight to the caller's array. These are collective.
struct ExchangedWords {
  AllocationVerdict verdict;
  std::vector<AllocationWord> words;  // by member; empty in a large group
};
ExchangedWords exchange_words(Runtime& runtime, int handle, const AllocationWord& mine);

// Members make different collective calls: the odd one reports it.
int fail_apart(Runtime& runtime, const Context& where, const AllocationVerdict::OddOne& odd, std::size_t me);

// The addresses by member, once all have allocated.
void exchange_addresses(Runtime& runtime, int handle, const ExchangedWords& exchanged, void* mine,
                        std::span<void*> addresses);

}  // namespace comex::runtime
