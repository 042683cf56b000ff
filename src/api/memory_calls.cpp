// Collective and local allocation. A collective call fails on all members or on none.
#include <algorithm>
#include <vector>

#include "api/call.h"
#include "groups/everybody.h"
#include "pr/placement.h"

namespace comex::api {
namespace {

// What each member says in the gathering that malloc and free begin with.
enum class Intent : std::uint64_t { allocate = 1, free };

struct Offer {
  Intent intent = Intent::allocate;
  std::uint64_t address = 0;
  std::uint64_t failed = 0;
};

void release(Runtime& runtime, void* address) {
  if (address == nullptr) return;
  shm::Arena& arena = *runtime.world->arena;
  const std::uint64_t offset = arena.offset_of(address);
  if (const std::uint64_t placed = arena.extents().placed_bytes(offset); placed != 0) {
    const Status freed = pr::Topology::load().release_memory(address, placed);
    if (!freed) runtime.reporter.notice(freed.failure().text);
  }
  const Status released = arena.extents().release(offset);
  if (!released) runtime.reporter.notice(released.failure().text);
}

// Bytes of this worker's own, placed where `device` says.
Result<void*> allocate(Runtime& runtime, std::size_t bytes, std::uint64_t id, const char* device) {
  if (bytes == 0) return static_cast<void*>(nullptr);
  std::vector<unsigned> nodes;
  std::optional<pr::Topology> topology;
  if (device != nullptr && *device != '\0') {
    topology.emplace(pr::Topology::load());
    Result<std::vector<unsigned>> found = pr::nodes_of_kind(device, topology->memory());
    if (!found) return found.take_failure();
    nodes = std::move(found).value();
  }
  shm::Arena& arena = *runtime.world->arena;
  const shm::Pages pages = nodes.empty() ? shm::Pages::any : shm::Pages::placed;
  Result<shm::Extent> extent = arena.extents().allocate(runtime.me(), bytes, id, pages);
  if (!extent) return extent.take_failure();
  void* address = arena.at(extent->offset);
  if (topology) {
    Status placed = topology->place_memory(address, extent->reserved, nodes);
    if (!placed) {
      static_cast<void>(arena.extents().release(extent->offset));
      return placed.take_failure();
    }
  }
  return address;
}

// Some members allocate and some free in one collective call: the first of the fewer. None: all do the same.
template <class Said>
std::optional<std::uint32_t> odd_one(const std::vector<Said>& all) {
  const auto is_other = [&](const Said& each) { return each.intent != all.front().intent; };
  const auto others = std::ranges::count_if(all, is_other);
  if (others == 0) return std::nullopt;
  if (2 * others >= std::ssize(all)) return 0;
  return static_cast<std::uint32_t>(std::ranges::find_if(all, is_other) - all.begin());
}

int fail_apart(Runtime& runtime, const Context& where, bool is_odd, const char* what) {
  if (!is_odd) return failed_elsewhere(runtime);
  return runtime.reporter.fail(
      where, std::string(what) + "; all members make the same collective calls in one order");
}

// Where a participant's memory is for this process: memory of another world is at another address, if it is
// in the address space at all. If it is not, the owner's address stands for it.
void* address_here(Runtime& runtime, Lpid owner, std::uint64_t address) {
  Peer peer;
  if (address != 0 && !runtime.is_own(owner) && runtime.bridges.peers.find(owner, peer)) {
    address = address - peer.owners_base + peer.place.base;
  }
  return reinterpret_cast<void*>(address);
}

// By participant.
std::vector<void*> addresses_here(Runtime& runtime, const groups::Group& group,
                                  const groups::ConnectionTable& all, const std::vector<Offer>& offers) {
  std::vector<void*> addresses;
  for (const Offer& each : offers) addresses.push_back(reinterpret_cast<void*>(each.address));
  if (group.bridge() == no_bridge) return addresses;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    addresses[i] = address_here(runtime, all.lpid(i), offers[i].address);
  }
  return addresses;
}

// What the caller gets to know: the addresses of those whom ranks of the group name.
void write_addresses(const groups::Group& group, const groups::Everybody& all,
                     const std::vector<void*>& addresses, void** to) {
  const std::size_t skipped = group.is_inter() && all.is_low ? all.low_size : 0;
  std::copy_n(addresses.begin() + static_cast<std::ptrdiff_t>(skipped), group.targets().size(), to);
}

int malloc_over(const char* name, void** ptr_arr, std::size_t bytes, comex_group_t handle,
                const char* device) {
  Runtime* runtime = enter(name);
  const groups::Group* group = runtime == nullptr ? nullptr : enter_group(*runtime, name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const CallScope call(name, handle);
  GroupExtras& extras = runtime->extras(handle);
  // The same on all members, since they allocate over a group in one order.
  const auto id = groups::allocation_id(group->context(), ++extras.next_allocation);
  Result<void*> mine = caller_error("the array of addresses is null");
  if (ptr_arr != nullptr && id) mine = allocate(*runtime, bytes, *id, device);
  if (!id) mine = caller_error("a group has had all the allocations it can have; make another one for more");

  const Offer offer{.address = mine ? reinterpret_cast<std::uint64_t>(mine.value()) : 0,
                    .failed = mine ? 0u : 1u};
  const std::vector<Offer> offers = runtime->gather(handle, offer);
  if (!is_whole(*runtime, name, *group)) {
    if (mine) release(*runtime, mine.value());
    return COMEX_FAILURE;
  }
  if (const auto odd = odd_one(offers)) {
    if (mine) release(*runtime, mine.value());
    return fail_apart(*runtime, {.operation = name}, *odd == extras.collective->me(),
                      "this process allocates where others free");
  }
  const auto failed = std::ranges::find_if(offers, [](const Offer& each) { return each.failed != 0; });
  if (failed != offers.end()) {
    if (mine) release(*runtime, mine.value());
    const bool is_mine = failed - offers.begin() == extras.collective->me();
    return is_mine ? runtime->reporter.fail({.operation = name}, mine.failure()) : failed_elsewhere(*runtime);
  }
  const groups::Everybody all = groups::everybody(*group, runtime->book);
  Allocation allocation{.id = *id,
                        .members = all.members,
                        .endpoints = group->endpoints(),
                        .my_rank = static_cast<int>(all.my_index),
                        .addresses = addresses_here(*runtime, *group, all.members, offers)};
  write_addresses(*group, all, allocation.addresses, ptr_arr);
  runtime->allocations.add(std::move(allocation));
  return COMEX_SUCCESS;
}

// What each member makes of the address it was given.
struct Claim {
  enum Kind : std::uint64_t { nothing, known, wrong };
  Intent intent = Intent::free;
  Kind kind = nothing;
  std::uint64_t id = 0;
};

// Over another group of the same members, in whatever order, it is theirs as well.
Claim claim_of(Runtime& runtime, const void* address, const groups::Roster& members) {
  if (address == nullptr) return {};
  const std::optional<Allocation> found = runtime.allocations.named_by(address);
  if (!found || groups::relation(found->roster(), members) == groups::Relation::unequal) {
    return {.kind = Claim::wrong};
  }
  return {.kind = Claim::known, .id = found->id};
}

// Members are lost, so that nobody can be waited for; it has been said. What is this worker's goes all the
// same.
int free_own_part(Runtime& runtime, const Claim& claim, std::uint32_t my_endpoint) {
  const std::optional<Allocation> found = runtime.allocations.by_id(claim.id, my_endpoint);
  if (claim.kind != Claim::known || !found) return COMEX_FAILURE;
  release(runtime, found->own());
  runtime.allocations.remove(claim.id, my_endpoint);
  return COMEX_FAILURE;
}

int free_over(const char* name, void* ptr, comex_group_t handle) {
  Runtime* runtime = enter(name);
  const groups::Group* group = runtime == nullptr ? nullptr : enter_group(*runtime, name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const CallScope call(name, handle);
  const Context where{name, {}, ptr};

  const groups::ConnectionTable all = groups::everybody(*group, runtime->book).members;
  const Claim mine = claim_of(*runtime, ptr, {all, group->endpoints()});
  runtime->fence_members(*group);
  const std::vector<Claim> claims = runtime->gather(handle, mine);
  if (!is_whole(*runtime, name, *group)) return free_own_part(*runtime, mine, group->my_endpoint());
  const auto me = static_cast<std::ptrdiff_t>(runtime->extras(handle).collective->me());
  if (const auto odd = odd_one(claims)) {
    return fail_apart(*runtime, where, *odd == runtime->extras(handle).collective->me(),
                      "this process frees where others allocate");
  }
  std::uint64_t id = 0;
  for (auto claim = claims.begin(); claim != claims.end(); ++claim) {
    if (claim->kind == Claim::nothing) continue;
    const bool is_other = id != 0 && claim->id != id;
    if (claim->kind == Claim::wrong || is_other) {
      if (claim - claims.begin() != me) return failed_elsewhere(*runtime);
      return runtime->reporter.fail(
          where, is_other ? "the address names another allocation than that of a lower rank of the group"
                          : "the address is not that of an allocation over group " + std::to_string(handle));
    }
    id = claim->id;
  }
  if (id == 0) return COMEX_SUCCESS;  // 0 bytes everywhere
  const std::optional<Allocation> allocation = runtime->allocations.by_id(id, group->my_endpoint());
  COMEX_BUG_IF(!allocation);
  shm::Arena& arena = *runtime->world->arena;
  if (allocation->own() != nullptr) {
    const Status retired = arena.extents().retire(arena.offset_of(allocation->own()));
    if (!retired) runtime->reporter.notice(retired.failure().text);
  }
  runtime->meet(handle);
  release(*runtime, allocation->own());
  runtime->allocations.remove(id, group->my_endpoint());
  return is_whole(*runtime, name, *group) ? COMEX_SUCCESS : COMEX_FAILURE;
}

}  // namespace
}  // namespace comex::api

using namespace comex::api;

int comex_malloc(void** ptr_arr, size_t bytes, comex_group_t group) {
  return malloc_over("malloc", ptr_arr, bytes, group, nullptr);
}

int comex_malloc_mem_dev(void** ptr_arr, size_t bytes, comex_group_t group, const char* device) {
  return malloc_over("malloc_mem_dev", ptr_arr, bytes, group, device);
}

int comex_free(void* ptr, comex_group_t group) {
  return free_over("free", ptr, group);
}

int comex_free_dev(void* ptr, comex_group_t group) {
  return free_over("free_dev", ptr, group);
}

void* comex_malloc_local(size_t bytes) {
  Runtime* runtime = enter("malloc_local");
  if (runtime == nullptr) return nullptr;
  const comex::Result<void*> mine = allocate(*runtime, bytes, 0, nullptr);
  if (!mine) {
    runtime->reporter.fail({.operation = "malloc_local"}, mine.failure());
    return nullptr;
  }
  if (mine.value() != nullptr) runtime->allocations.add_local(mine.value());
  return mine.value();
}

int comex_free_local(void* ptr) {
  Runtime* runtime = enter("free_local");
  if (runtime == nullptr) return COMEX_FAILURE;
  if (ptr == nullptr) return COMEX_SUCCESS;
  if (!runtime->allocations.remove_local(ptr)) {
    return runtime->reporter.fail({"free_local", {}, ptr}, "the address is not one that malloc_local gave");
  }
  release(*runtime, ptr);
  return COMEX_SUCCESS;
}
