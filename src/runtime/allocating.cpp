#include "runtime/allocating.h"

#include <algorithm>

#include "pr/setup/placement.h"

namespace comex::runtime {
namespace {

// The kernel keeps a record for each range with a preference. Smaller ones stay where first touched.
constexpr std::uint64_t least_preferred_bytes = 2ULL << 20;

void prefer_near_memory(Runtime& runtime, void* address, std::uint64_t bytes) {
  World& world = runtime.world();
  if (!world.near_memory || world.has_refused_near_memory.load(std::memory_order_relaxed)) return;
  const Status preferred =
      world.near_memory->topology.prefer_memory(address, bytes, world.near_memory->nodes);
  if (!preferred && !world.has_refused_near_memory.exchange(true))
    runtime.reporter().notice(preferred.failure().text + ": memory lies where it is touched first");
}

}  // namespace

void make_ready(Runtime& runtime, const shm::Extent& extent, bool is_near) {
  shm::Arena& arena = *runtime.world().arena;
  if (runtime.world().spans_machines) arena.drop_stale_registrations();  // the program may give it to MPI
  if (is_near && extent.reserved >= least_preferred_bytes)
    prefer_near_memory(runtime, arena.at(extent.offset), extent.reserved);
}

void release_own(Runtime& runtime, void* address) {
  if (address == nullptr) return;
  shm::Arena& arena = *runtime.world().arena;
  const std::uint64_t offset = arena.offset_of(address);
  if (const std::uint64_t placed = arena.extents().placed_bytes(offset); placed != 0) {
    const Status freed = pr::Topology::load().release_memory(address, placed);
    if (!freed) runtime.reporter().notice(freed.failure().text);
  }
  const Status released = arena.extents().release(offset);
  if (!released) runtime.reporter().notice(released.failure().text);
}

Result<void*> allocate_own(Runtime& runtime, std::size_t bytes, std::uint64_t id, const char* device) {
  if (bytes == 0) return static_cast<void*>(nullptr);
  std::vector<unsigned> nodes;
  std::optional<pr::Topology> topology;
  if (device != nullptr && *device != '\0') {
    topology.emplace(pr::Topology::load());
    Result<std::vector<unsigned>> found = pr::nodes_of_kind(device, topology->memory());
    if (!found) return found.take_failure();
    nodes = std::move(found).value();
  }
  shm::Arena& arena = *runtime.world().arena;
  const shm::Pages pages = nodes.empty() ? shm::Pages::any : shm::Pages::placed;
  Result<shm::Extent> extent = arena.extents().allocate(runtime.me(), bytes, id, pages);
  if (!extent) return extent.take_failure();
  void* address = arena.at(extent->offset);
  make_ready(runtime, extent.value(), nodes.empty());
  if (topology) {
    Status placed = topology->place_memory(address, extent->reserved, nodes);
    if (!placed) {
      static_cast<void>(arena.extents().release(extent->offset));
      return placed.take_failure();
    }
  }
  return address;
}

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
  return fail_together(runtime, where, odd.member == me,
                       std::string("this process ") + odd.does + " where others " + odd.others_do +
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
