// The calls for collective and local allocation, for freeing local memory, and for telling of accesses to it.
// A collective call fails on all members or on none.
#include <algorithm>
#include <optional>
#include <vector>

#include "groups/participants.h"
#include "runtime/allocating.h"

namespace comex::calls {
namespace {

// The address of a participant's memory in this process. Memory of another world has another address here. If
// it is not mapped here, the owner's address is used.
void* address_here(runtime::Runtime& runtime, Lpid owner, void* address) {
  runtime::Reach peer;
  if (address == nullptr || runtime.is_own(owner) || !runtime.reach(owner, peer)) return address;
  return reinterpret_cast<void*>(reinterpret_cast<std::uint64_t>(address) - peer.owners_base +
                                 peer.place.base);
}

// For groups that span worlds or have two sides: the addresses of all participants. Ranks of the group name
// some of them.
std::vector<void*> addresses_of_all(runtime::Runtime& runtime, int handle, const groups::Participants& all,
                                    const runtime::ExchangedWords& exchanged, void* mine) {
  std::vector<void*> addresses(all.members.size());
  runtime::exchange_addresses(runtime, handle, exchanged, mine, addresses);
  for (std::uint32_t i = 0; i < all.members.size(); ++i) {
    addresses[i] = address_here(runtime, all.members.lpid(i), addresses[i]);
  }
  return addresses;
}

// This process's part of an allocation over the group, or what is wrong with it.
Result<void*> allocate_part(runtime::Runtime& runtime, void** ptr_arr, std::size_t bytes,
                            std::optional<std::uint64_t> id, const char* device) {
  if (!id) return caller_error("a group has had all the allocations it can have; make another one for more");
  if (ptr_arr == nullptr) return caller_error("the array of addresses is null");
  return runtime::allocate_own(runtime, bytes, *id, device);
}

// A member without a byte knows no address of it, and has nothing to give back.
void remember(runtime::Runtime& runtime, runtime::Allocation allocation) {
  const auto is_there = [](const void* address) { return address != nullptr; };
  if (allocation.own != nullptr || std::ranges::any_of(allocation.of_all, is_there))
    runtime.allocations().add(std::move(allocation));
}

int malloc_over(const char* name, void** ptr_arr, std::size_t bytes, comex_group_t handle,
                const char* device) {
  runtime::Runtime* runtime = runtime::enter(name);
  const groups::Group* group = runtime == nullptr ? nullptr : runtime::enter_group(*runtime, name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, handle);
  if (const int live = runtime::check_all_live(*runtime, name, *group, handle); live != COMEX_SUCCESS)
    return live;
  runtime::GroupExtras& extras = runtime->extras(handle);
  // equal on all members, because they allocate over a group in one order
  const auto id = groups::allocation_id(group->context(), extras.next_allocation + 1);
  const Result<void*> mine = allocate_part(*runtime, ptr_arr, bytes, id, device);
  const runtime::ExchangedWords exchanged = runtime::exchange_words(
      *runtime, handle,
      mine ? runtime::AllocationWord::allocated(mine.value()) : runtime::AllocationWord::not_allocated());
  const auto give_up = [&] {
    if (mine) runtime::release_own(*runtime, mine.value());
  };
  // True if the call ends here, with `code`. Where a member has died, others may have the addresses and write
  // to what is here: it stays.
  int code = COMEX_SUCCESS;
  const auto has_failed = [&] {
    code = runtime::check_all_live(*runtime, name, *group, handle);
    if (code != COMEX_SUCCESS && code != COMEX_PROC_FAILED) give_up();
    return code != COMEX_SUCCESS;
  };
  if (has_failed()) return code;
  const std::size_t me = extras.collective->me();
  if (const auto odd = exchanged.verdict.odd_one()) {
    give_up();
    return runtime::fail_apart(*runtime, {.operation = name}, *odd, me);
  }
  ++extras.next_allocation;
  if (const auto failed = exchanged.verdict.failed()) {
    give_up();
    return *failed == me ? runtime->reporter().fail({.operation = name}, mine.failure())
                         : runtime::failed_elsewhere(*runtime);
  }
  const groups::Participants all = groups::participants(*group, runtime->registry());
  runtime::Allocation allocation{.id = *id,
                                 .members = all.members,
                                 .endpoints = group->endpoints(),
                                 .my_rank = static_cast<int>(all.my_index),
                                 .own = mine.value()};
  if (group->bridge() == no_bridge && !group->is_inter()) {
    runtime::exchange_addresses(*runtime, handle, exchanged, mine.value(), {ptr_arr, all.members.size()});
    if (has_failed()) return code;
  } else {
    std::vector<void*> addresses = addresses_of_all(*runtime, handle, all, exchanged, mine.value());
    if (has_failed()) return code;
    const std::size_t skipped = group->is_inter() && all.is_low ? all.low_size : 0;
    std::copy_n(addresses.data() + skipped, group->targets().size(), ptr_arr);
    if (group->bridge() != no_bridge) allocation.of_all = std::move(addresses);
  }
  remember(*runtime, std::move(allocation));
  return COMEX_SUCCESS;
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_malloc(void** ptr_arr, size_t bytes, comex_group_t group) {
  return malloc_over("malloc", ptr_arr, bytes, group, nullptr);
}

int comex_malloc_mem_dev(void** ptr_arr, size_t bytes, comex_group_t group, const char* device) {
  return malloc_over("malloc_mem_dev", ptr_arr, bytes, group, device);
}

void* comex_malloc_local(size_t bytes) {
  runtime::Runtime* runtime = runtime::enter("malloc_local");
  if (runtime == nullptr) return nullptr;
  const comex::Result<void*> mine = runtime::allocate_own(*runtime, bytes, 0, nullptr);
  if (!mine) {  // the program continues without it, and may fail often
    if (!runtime::process().has_told_of_no_memory.exchange(true)) {
      runtime->reporter().warn({.operation = "malloc_local"},
                               mine.failure().text + "; NULL is returned; this line is printed once");
    }
    return nullptr;
  }
  return mine.value();
}

int comex_free_local(void* ptr) {
  runtime::Runtime* runtime = runtime::enter("free_local");
  if (runtime == nullptr) return COMEX_FAILURE;
  if (ptr == nullptr) return COMEX_SUCCESS;
  comex::shm::Arena& arena = *runtime->world().arena;
  const std::uint64_t offset = arena.offset_of(ptr);
  if (!arena.holds(ptr) || !arena.extents().begins_local(runtime->me(), offset) ||
      !arena.extents().release(offset)) {
    return runtime->reporter().fail({"free_local", {}, ptr}, "the address is not one that malloc_local gave");
  }
  return COMEX_SUCCESS;
}

int comex_access_begin(const void* ptr, size_t bytes, int access) {
  const runtime::Runtime* runtime = runtime::enter("access_begin");
  if (runtime == nullptr) return COMEX_FAILURE;
  const bool is_known = access == COMEX_ACCESS_READ || access == COMEX_ACCESS_WRITE;
  if (is_known && (ptr != nullptr || bytes == 0)) return COMEX_SUCCESS;
  return runtime->reporter().fail(
      {"access_begin", {}, ptr},
      is_known ? "the address is null" : "the access is neither COMEX_ACCESS_READ nor COMEX_ACCESS_WRITE");
}

// An address may be null, as that of no bytes was.
int comex_access_end(const void*) {
  return runtime::enter("access_end") != nullptr ? COMEX_SUCCESS : COMEX_FAILURE;
}
