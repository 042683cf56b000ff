#include "runtime/kept/allocation.h"

#include <algorithm>
#include <string>

#include "runtime/allocating.h"

namespace comex::runtime {
namespace {

using shm::MirroredPart;

class Maker {
 public:
  Maker(Runtime& runtime, const KeptOptions& options, KeptAllocation& made)
      : runtime_(runtime),
        options_(options),
        made_(made),
        me_(static_cast<std::uint32_t>(options.group.my_rank())),
        extents_(runtime.world().arena->extents()) {}

  int run();

 private:
  Worker worker(std::uint32_t member) const {
    return static_cast<Worker>(options_.group.members().lpid(member));
  }
  Status allocate();
  bool has_lost_members() {
    code_ = check_all_live(runtime_, options_.call, options_.group, options_.handle);
    return code_ != COMEX_SUCCESS;
  }
  int give_up();
  void place_mirrors(const std::vector<std::uint64_t>& bases);
  void show_parts();
  bool exchange_parts();

  Runtime& runtime_;
  const KeptOptions& options_;
  KeptAllocation& made_;
  const std::uint32_t me_;
  shm::Extents& extents_;
  std::vector<std::uint32_t> mirrors_;      // members
  std::vector<std::uint32_t> own_numbers_;  // of the parts in own_parts
  int code_ = COMEX_SUCCESS;
};

std::uint64_t room_of(std::uint64_t bytes) {
  return shm::round_up(bytes, MirroredPart::alignment);
}

int Maker::run() {
  const std::vector<std::uint32_t> hosts = hosts_of(runtime_, options_.group);
  if (made_.root == 0) made_.root = options_.id;
  made_.copies = std::min(made_.wanted_copies, count_hosts(hosts) - 1);
  for (const std::uint32_t home : options_.homes) made_.homes.push_back(worker(home));
  mirrors_ = choose_mirrors(hosts, options_.homes, made_.copies);
  for (const std::uint32_t mirror : mirrors_) made_.mirror_homes.push_back(worker(mirror));

  const Status allocated = allocate();
  const AllocationWord word =
      allocated ? AllocationWord::allocated(made_.own_mirrors) : AllocationWord::not_allocated();
  const ExchangedWords exchanged = exchange_words(runtime_, options_.handle, word);
  if (has_lost_members()) return give_up();
  if (const auto failed = exchanged.verdict.failed()) {
    give_up();
    return *failed == me_ ? runtime_.reporter().fail({.operation = options_.call}, allocated.failure())
                          : failed_elsewhere(runtime_);
  }
  const auto bases = runtime_.gather(options_.handle, reinterpret_cast<std::uint64_t>(made_.own_mirrors));
  if (has_lost_members()) return give_up();
  place_mirrors(bases);
  show_parts();
  if (exchange_parts()) return COMEX_SUCCESS;
  // Where a member has died meanwhile, others may have all of it, and write to what is here: it stays, and
  // may have to be recovered from.
  for (std::size_t i = 0; i < own_numbers_.size(); ++i) made_.parts[own_numbers_[i]] = made_.own_parts[i];
  return code_;
}

Status Maker::allocate() {
  std::uint64_t mirror_bytes = 0;
  for (std::uint32_t part = 0; part < options_.homes.size(); ++part) {
    const std::uint64_t bytes = made_.bytes[part];
    for (std::uint32_t copy = 0; copy < made_.copies; ++copy) {
      if (mirrors_[part * made_.copies + copy] == me_) mirror_bytes += room_of(bytes);
    }
    if (options_.homes[part] != me_ || bytes == 0) continue;
    Result<shm::Extent> extent = extents_.allocate_mirrored(runtime_.me(), bytes, options_.id);
    if (!extent) return extent.take_failure();
    make_ready(runtime_, extent.value());
    made_.own_parts.push_back(runtime_.world().arena->at(extent->offset));
    own_numbers_.push_back(part);
  }
  Result<void*> own_mirrors = allocate_own(runtime_, mirror_bytes, options_.id, nullptr);
  if (!own_mirrors) return own_mirrors.take_failure();
  made_.own_mirrors = own_mirrors.value();
  return {};
}

int Maker::give_up() {
  Allocation all;
  all.kept = std::make_shared<KeptAllocation>(made_);
  retire_parts(runtime_, options_.call, all);
  release_parts(runtime_, all);
  made_.own_parts.clear();
  made_.own_mirrors = nullptr;
  return code_;
}

// A member's mirrors follow each other in the order of the parts.
void Maker::place_mirrors(const std::vector<std::uint64_t>& bases) {
  std::vector<std::uint64_t> next = bases;
  for (std::size_t i = 0; i < mirrors_.size(); ++i) {
    made_.mirrors.push_back(reinterpret_cast<void*>(next[mirrors_[i]]));
    next[mirrors_[i]] += room_of(made_.bytes[i / made_.copies]);
  }
}

void Maker::show_parts() {
  for (std::size_t i = 0; i < made_.own_parts.size(); ++i) {
    const std::uint64_t offset = runtime_.world().arena->offset_of(made_.own_parts[i]);
    const std::uint32_t number = own_numbers_[i];
    MirroredPart& part = extents_.behind(offset);
    part.format(made_.bytes[number]);
    for (std::uint32_t copy = 0; copy < made_.copies; ++copy) {
      const std::size_t at = number * made_.copies + copy;
      part.add_mirror(
          {.worker = made_.mirror_homes[at], .address = reinterpret_cast<std::uint64_t>(made_.mirrors[at])});
    }
    extents_.show_mirrored(offset);
  }
}

// Nobody knows the address of a part before it is shown. Each exchange takes one part of each member.
bool Maker::exchange_parts() {
  std::vector<std::vector<std::uint32_t>> parts_of(options_.group.size());
  for (std::uint32_t part = 0; part < options_.homes.size(); ++part) {
    if (made_.bytes[part] != 0) parts_of[options_.homes[part]].push_back(part);
  }
  const std::size_t rounds = std::ranges::max(parts_of, {}, &std::vector<std::uint32_t>::size).size();
  made_.parts.assign(options_.homes.size(), nullptr);
  for (std::size_t round = 0; round < rounds; ++round) {
    void* const own = round < made_.own_parts.size() ? made_.own_parts[round] : nullptr;
    const auto addresses = runtime_.gather(options_.handle, reinterpret_cast<std::uint64_t>(own));
    if (has_lost_members()) return false;
    for (std::size_t home = 0; home < parts_of.size(); ++home) {
      if (round < parts_of[home].size())
        made_.parts[parts_of[home][round]] = reinterpret_cast<void*>(addresses[home]);
    }
  }
  return true;
}

// Without the mirrors, to which others may still send.
template <class F>
void for_each_own_part(const Allocation& allocation, F&& f) {
  if (allocation.kept == nullptr) return f(allocation.own);
  for (void* part : allocation.kept->own_parts) f(part);
}

}  // namespace

std::string why_not_kept(const Runtime& runtime, const groups::Group& group, int handle) {
  const std::string name = "group " + std::to_string(handle);
  if (group.is_inter() || group.bridge() != no_bridge)
    return name + " spans worlds; kept memory belongs to one world";
  if (group.endpoints()) return name + " has endpoints; the members of kept memory are processes";
  for (std::uint32_t member = 0; member < group.size(); ++member) {
    const groups::WorkerPlace& place = runtime.place(static_cast<Worker>(group.members().lpid(member)));
    if (place.server == place.rank) {
      return "kept memory takes a progress rank on every host, and worker " +
             std::to_string(group.members().lpid(member)) + " has none";
    }
  }
  return {};
}

std::vector<std::uint32_t> hosts_of(const Runtime& runtime, const groups::Group& group) {
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t member = 0; member < group.size(); ++member) {
    hosts.push_back(runtime.place(static_cast<Worker>(group.members().lpid(member))).host);
  }
  return hosts;
}

int make_kept(Runtime& runtime, KeptOptions options, const std::shared_ptr<KeptAllocation>& made) {
  const groups::Group& group = options.group;
  GroupExtras& extras = runtime.extras(options.handle);
  const auto next = groups::allocation_id(group.context(), ++extras.next_allocation);
  if (!next) {
    return fail_together(runtime, {.operation = options.call}, group.my_rank() == 0,
                         "a group has had all the allocations it can have; make another one for more");
  }
  options.id = *next;
  const int code = Maker(runtime, options, *made).run();
  if (code != COMEX_SUCCESS && made->own_parts.empty() && made->own_mirrors == nullptr) return code;
  if (std::ranges::max(made->bytes) == 0) return code;  // nobody can name it
  runtime.allocations().add({.id = *next,
                             .members = group.members(),
                             .endpoints = group.endpoints(),
                             .my_rank = group.my_rank(),
                             .own = made->own_parts.empty() ? nullptr : made->own_parts.front(),
                             .kept = made});
  return code;
}

void retire_parts(Runtime& runtime, const char* call, const Allocation& allocation) {
  shm::Arena& arena = *runtime.world().arena;
  for_each_own_part(allocation, [&](void* own) {
    if (own == nullptr) return;
    const Status retired = arena.extents().retire(arena.offset_of(own));
    if (!retired) runtime.reporter().notice(retired.failure().text);
  });
  if (allocation.kept != nullptr) runtime.send_to_mirrors(call);
}

void release_parts(Runtime& runtime, const Allocation& allocation) {
  for_each_own_part(allocation, [&](void* own) { release_own(runtime, own); });
  if (allocation.kept != nullptr) release_own(runtime, allocation.kept->own_mirrors);
}

}  // namespace comex::runtime
