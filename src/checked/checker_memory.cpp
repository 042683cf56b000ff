// Allocations, and accesses of the owner that the program tells of.
#include <algorithm>
#include <iterator>

#include "checked/checker.h"
#include "checked/exchange.h"
#include "checked/next.h"

namespace comex::checker {

void Checker::allocated(const FollowedCall& call, void* const* parts, std::size_t bytes,
                        comex_group_t group) {
  const GroupEntry* const entry = locked([&] { return groups_.find(group); });
  if (entry == nullptr) return;
  if (entry->is_inter) return allocated_somewhere(*entry, group);
  if (entry->has_others || entry->endpoint != 0) {  // whose other parts are not known here
    int rank = -1;
    next<&comex_group_rank>("comex_group_rank")(group, &rank);
    if (rank < 0) return;
    allocated_locally(call, parts[rank], bytes);
    // The others may use it before they know that it is new.
    const auto begin = reinterpret_cast<std::uint64_t>(parts[rank]);
    {
      const Guard guard(mutex_);
      history_.forget_freed(begin, begin + bytes);
      std::erase_if(freed_, [&](const Access& old) { return old.range().meets({begin, begin + bytes}); });
    }
    // Members of other worlds may not be checked, and would not come.
    if (!entry->has_others) next<&comex_barrier>("comex_barrier")(group);
    return;
  }
  std::vector<std::uint64_t> sizes{bytes};
  if (entry->comm != MPI_COMM_NULL) sizes = gather(entry->comm, sizes).items;
  {
    const Guard guard(mutex_);
    Allocation allocation{.members = entry->members, .site = site_of(call)};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto begin = reinterpret_cast<std::uint64_t>(parts[i]);
      const Range part{begin, begin == 0 ? 0 : begin + sizes[i]};
      allocation.parts.push_back(part);
      if (part.begin != 0) live_[{allocation.members[i], part.begin}] = part.end;
    }
    const bool has_bytes =
        std::ranges::any_of(allocation.parts, [](const Range& part) { return part.begin != 0; });
    if (has_bytes) allocations_.push_back(std::move(allocation));
  }
  const auto mine = std::ranges::find(entry->members, me_);
  if (mine != entry->members.end()) allocated_locally(call, parts[mine - entry->members.begin()], bytes);
  // Nobody uses it before all know that it is new.
  if (entry->comm != MPI_COMM_NULL) meet_over({}, group, entry->comm);
}

// Over an inter-group, whose members learn the addresses of the other side: any freed memory may be in use
// again.
void Checker::allocated_somewhere(const GroupEntry& entry, comex_group_t group) {
  constexpr std::uint64_t end = UINT64_MAX;
  {
    const Guard guard(mutex_);
    history_.forget_freed(0, end);
    freed_.clear();
    clock_memory_.note_allocated(0, end);
  }
  if (!entry.has_others) next<&comex_barrier>("comex_barrier")(group);  // as in allocated()
}

void Checker::freeing(const FollowedCall& call, const void* ptr, comex_group_t group) {
  const GroupEntry* const entry = locked([&] { return groups_.find(group); });
  if (entry == nullptr || entry->has_others || entry->endpoint != 0) return;
  // The members may name different addresses of one allocation, or none: its first part names it for all.
  std::int64_t name = 0;
  const auto first_part = [](const Allocation& allocation) {
    const auto first =
        std::ranges::find_if(allocation.parts, [](const Range& part) { return part.begin != 0; });
    return first == allocation.parts.end() ? 0 : static_cast<std::int64_t>(first->begin);
  };
  {
    const Guard guard(mutex_);
    const auto address = reinterpret_cast<std::uint64_t>(ptr);
    const Allocation* const named = allocation_of(address);
    if (named != nullptr && std::ranges::find(named->parts, address, &Range::begin) != named->parts.end())
      name = first_part(*named);
  }
  if (entry->comm != MPI_COMM_NULL) name = greatest_of(entry->comm, name);
  const void* own = nullptr;
  {
    const Guard guard(mutex_);
    const auto found = std::ranges::find_if(allocations_, [&](const Allocation& allocation) {
      return name != 0 && first_part(allocation) == name;
    });
    if (found == allocations_.end()) return;
    for (std::size_t i = 0; i < found->parts.size(); ++i) {
      const Range& part = found->parts[i];
      live_.erase({found->members[i], part.begin});
      if (found->members[i] == me_) own = reinterpret_cast<const void*>(part.begin);
    }
  }
  freeing_locally(call, own);
  if (entry->comm != MPI_COMM_NULL) meet_over({}, group, entry->comm, true);
  const Guard guard(mutex_);
  std::erase_if(allocations_, [&](const Allocation& allocation) { return first_part(allocation) == name; });
}

void Checker::note_memory(const FollowedCall& call, Use use, const Range& part) {
  const Region region{part.begin, contiguous_patch(part.end - part.begin)};
  history_.finish(history_.add(own_access(use, site_of(call)), region, clocks()), clocks().now());
}

void Checker::allocated_locally(const FollowedCall& call, const void* ptr, std::size_t bytes) {
  act_for_thread();
  const auto begin = reinterpret_cast<std::uint64_t>(ptr);
  if (begin == 0 || bytes == 0) return;
  const Guard guard(mutex_);
  const Range part{begin, begin + bytes};
  note_memory(call, Use::allocated, part);
  own_memory_[begin] = part;
  clock_memory_.note_allocated(part.begin, part.end);
}

void Checker::freeing_locally(const FollowedCall& call, const void* ptr) {
  act_for_thread();
  learn_flags();
  const Guard guard(mutex_);
  const auto found = own_memory_.find(reinterpret_cast<std::uint64_t>(ptr));
  if (found == own_memory_.end()) return;
  const Range part = found->second;
  note_memory(call, Use::freed, part);
  own_memory_.erase(found);
  clock_memory_.note_freed(part.begin, part.end);
}

void Checker::access_begins(const FollowedCall& call, const void* ptr, std::size_t bytes, bool is_write) {
  act_for_thread();
  learn_flags();
  const Guard guard(mutex_);
  Started started = start_of(call, me_, Ending::handle);
  started.is_declared = true;
  const Region region{reinterpret_cast<std::uint64_t>(ptr), contiguous_patch(bytes)};
  clash(call, {region, is_write, 0});
  if (bytes != 0 && is_own(region.begin)) {
    const Access access = own_access(is_write ? Use::write : Use::read, started.site);
    started.accesses.push_back(history_.add(access, region, clocks()));
  }
  open_accesses_.emplace_back(ptr, pending_.add(std::move(started)));
}

void Checker::access_ends(const FollowedCall& call, const void* ptr) {
  act_for_thread();
  int number = 0;
  {
    const Guard guard(mutex_);
    const auto found = std::find_if(open_accesses_.rbegin(), open_accesses_.rend(),
                                    [&](const auto& open) { return open.first == ptr; });
    if (found == open_accesses_.rend()) {
      tell("access", text_of(call) + " names an access that has not begun");
      return;
    }
    number = found->second;
    open_accesses_.erase(std::next(found).base());
  }
  complete(number);
}

const Checker::Allocation* Checker::allocation_of(std::uint64_t address) const {
  const Allocation* found = nullptr;
  for (const Allocation& allocation : allocations_) {
    for (std::size_t i = 0; i < allocation.parts.size(); ++i) {
      if (!allocation.parts[i].holds(address)) continue;
      if (allocation.members[i] == me_) return &allocation;
      if (found == nullptr) found = &allocation;
    }
  }
  return found;
}

// Of the own memory.
std::string Checker::place_of(std::uint64_t address) {
  if (const Allocation* const allocation = allocation_of(address)) {
    for (std::size_t i = 0; i < allocation->parts.size(); ++i) {
      if (allocation->members[i] != me_ || !allocation->parts[i].holds(address)) continue;
      return "byte " + std::to_string(address - allocation->parts[i].begin) + " of what " +
             sites_.text(allocation->site) + " made";
    }
  }
  return "an address of no collective allocation";
}

}  // namespace comex::checker
