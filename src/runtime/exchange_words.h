// How the members of a group exchange their words when memory is allocated or freed over it, or mutexes are
// made.
//
// In a small group, or on one host, everybody gets everybody's word in one gather. In a large group only the
// verdict travels; addresses follow, if there are any, straight to the caller's array. The calls are
// collective. Used by the calls for memory and mutexes.
#pragma once

#include <span>
#include <vector>

#include "runtime/allocation_words.h"
#include "runtime/call.h"

namespace comex::runtime {

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
