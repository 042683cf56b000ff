#include "runtime/heard.h"

#include <algorithm>

namespace comex::runtime {

Heard hear(Runtime& runtime, int handle, const Word& mine) {
  constexpr std::uint32_t few = 16;  // above this size, a tree costs less
  const op::GroupCollective& members = *runtime.extras(handle).collective;
  const bool is_one_host = handle == groups::world_handle && runtime.world().group->host_count() == 1;
  if (members.size() > few && !is_one_host) {
    return {runtime.all_merged(handle, AllocationVerdict(members.me(), mine)), {}};
  }
  std::vector<Word> words = runtime.gather(handle, mine);
  const AllocationVerdict verdict(words);
  return {verdict, std::move(words)};
}

void hear_addresses(Runtime& runtime, int handle, const Heard& heard, void* mine,
                    std::span<void*> addresses) {
  if (heard.words.empty()) {
    runtime.gather(handle, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(addresses));
  } else {
    std::ranges::transform(heard.words, addresses.begin(), &Word::address);
  }
}

}  // namespace comex::runtime
