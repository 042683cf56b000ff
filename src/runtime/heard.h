// What a member of a group hears of the others as memory is allocated or freed over it, and how.
//
// Among few, and on one host, everybody gets everybody's word, in one gather. Among many the verdict alone
// travels, and addresses follow where there are any: straight to where the caller wants them. Collective.
// Used by the memory calls.
#pragma once

#include <span>
#include <vector>

#include "runtime/allocation_words.h"
#include "runtime/runtime.h"

namespace comex::runtime {

struct Heard {
  CollectiveVerdict verdict;
  std::vector<Word> words;  // by member; empty among many
};
Heard hear(Runtime& runtime, int handle, const Word& mine);

// By member, once all have allocated.
void hear_addresses(Runtime& runtime, int handle, const Heard& heard, void* mine, std::span<void*> addresses);

}  // namespace comex::runtime
