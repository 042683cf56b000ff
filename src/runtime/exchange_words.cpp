#include "runtime/exchange_words.h"

#include <algorithm>

namespace comex::runtime {

ExchangedWords exchange_words(Runtime& runtime, int handle, const AllocationWord& mine) {
  constexpr std::uint32_t few = 16;  // above this size, a tree costs less
  const op::GroupCollective& members = *runtime.extras(handle).collective;
  const bool is_one_host = handle == groups::world_handle && runtime.world().group->host_count() == 1;
  if (members.size() > few && !is_one_host) {
    return {runtime.all_merged(handle, AllocationVerdict(members.me(), mine)), {}};
  }
  std::vector<AllocationWord> words = runtime.gather(handle, mine);
  const AllocationVerdict verdict(words);
  return {verdict, std::move(words)};
}

int fail_apart(Runtime& runtime, const Context& where, const AllocationVerdict::OddOne& odd, std::size_t me) {
  if (odd.member != me) return failed_elsewhere(runtime);
  return runtime.reporter().fail(where, std::string("this process ") + odd.does + " where others " +
                                            odd.others_do +
                                            "; all members make the same collective calls in one order");
}

void exchange_addresses(Runtime& runtime, int handle, const ExchangedWords& exchanged, void* mine,
                        std::span<void*> addresses) {
  if (exchanged.words.empty()) {
    runtime.gather(handle, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(addresses));
  } else {
    std::ranges::transform(exchanged.words, addresses.begin(), &AllocationWord::address);
  }
}

}  // namespace comex::runtime
