// The call recover. It makes kept memory anew over the survivors, fills it from the parts and mirrors that
// are left, and gives the old memory back.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "calls/carry_out.h"
#include "runtime/kept/allocation.h"

namespace comex::calls {
namespace {

constexpr std::uint32_t no_member = UINT32_MAX;

// Which memory the members mean. All of these travel as bytes and merge in any order.
struct KeptName {
  std::uint32_t failed = no_member;  // the first member with a wrong argument
  std::uint64_t least_root = UINT64_MAX;
  std::uint64_t most_root = 0;  // 0: no member names any
  void merge(const KeptName& other) {
    failed = std::min(failed, other.failed);
    least_root = std::min(least_root, other.least_root);
    most_root = std::max(most_root, other.most_root);
  }
};

// The newest memory of that root which a member knows to be whole.
struct NewestWhole {
  std::uint32_t recoveries = 0;
  std::uint64_t id = 0;
  void merge(const NewestWhole& other) {
    if (std::pair(recoveries, id) < std::pair(other.recoveries, other.id)) *this = other;
  }
};

struct KeptFacts {
  std::uint32_t failed = no_member;  // the first member that names other memory
  std::uint32_t members = 0;         // that know of the parts
  std::uint32_t parts = 0;
  std::uint32_t copies = 0;
  std::uint32_t lost_part = no_member;  // the first of which nothing is left
  void merge(const KeptFacts& other) {
    failed = std::min(failed, other.failed);
    members += other.members;
    parts = std::max(parts, other.parts);
    copies = std::max(copies, other.copies);
    lost_part = std::min(lost_part, other.lost_part);
  }
};

// Some parts, as newcomers have to learn of them.
struct SomeParts {
  static constexpr std::uint32_t count = 64;
  std::array<std::uint64_t, count> bytes{};
  std::array<std::uint32_t, count> homes{};  // member + 1; 0: it is lost
  void merge(const SomeParts& other) {
    for (std::uint32_t i = 0; i < count; ++i) {
      bytes[i] = std::max(bytes[i], other.bytes[i]);
      homes[i] = std::max(homes[i], other.homes[i]);
    }
  }
};

class Recovery {
 public:
  Recovery(runtime::Runtime& runtime, const groups::Group& group, int handle)
      : runtime_(runtime),
        group_(group),
        handle_(handle),
        me_(static_cast<std::uint32_t>(group.my_rank())),
        wanted_{.call = name, .handle = handle, .group = group} {}

  int run(void* ptr, void** ptrs, int* homes);

 private:
  static constexpr const char* name = "recover";

  bool is_interrupted() {
    code_ = runtime::check_all_live(runtime_, name, group_, handle_);
    return code_ != COMEX_SUCCESS;
  }
  bool fail(bool is_mine, const std::string& why) {
    code_ = runtime::fail_together(runtime_, {.operation = name}, is_mine, why);
    return false;
  }
  std::uint32_t member(Worker worker) const {
    const int rank = group_.members().rank_of(static_cast<Lpid>(worker));
    return rank < 0 ? runtime::no_home : static_cast<std::uint32_t>(rank);
  }
  // The functions return false if the call ends with code_.
  bool name_memory(void* ptr, void** ptrs, const int* homes);
  bool choose_old(std::uint64_t root);
  bool learn(KeptFacts known);
  bool learn_parts(std::uint32_t parts);
  std::uint32_t source_of(std::uint32_t part) const;  // no_home: nothing is left of it
  void* source_address(std::uint32_t part) const;
  bool fill();
  void free_old();
  void forget_dead_parts(std::uint64_t allocation);
  bool are_mirrors_in_use(const runtime::KeptAllocation& kept) const;

  runtime::Runtime& runtime_;
  const groups::Group& group_;
  const int handle_;
  const std::uint32_t me_;
  int code_ = COMEX_SUCCESS;
  std::unique_ptr<runtime::Allocation> old_;  // null: a newcomer
  std::vector<std::uint8_t> has_old_;         // by member
  runtime::KeptOptions wanted_;
  const std::shared_ptr<runtime::KeptAllocation> made_ = std::make_shared<runtime::KeptAllocation>();
};

int Recovery::run(void* ptr, void** ptrs, int* homes) {
  // What is under way reaches the old memory, also that of a dead worker.
  runtime_.fence_members(*runtime_.groups().find(groups::world_handle));
  if (!name_memory(ptr, ptrs, homes)) return code_;
  runtime::find_homes(wanted_.homes, group_.size());
  code_ = runtime::make_kept(runtime_, wanted_, made_);
  if (code_ != COMEX_SUCCESS || !fill()) return code_;
  free_old();
  for (std::size_t part = 0; part < wanted_.homes.size(); ++part) {
    ptrs[part] = made_->parts[part];
    homes[part] = static_cast<int>(wanted_.homes[part]);
  }
  return COMEX_SUCCESS;
}

bool Recovery::name_memory(void* ptr, void** ptrs, const int* homes) {
  std::string why;
  std::uint64_t root = 0;
  if (ptrs == nullptr || homes == nullptr) why = "the array of addresses or of homes is null";
  if (ptr != nullptr) {
    const auto mine = runtime_.allocations().named_by(ptr);
    if (mine && mine->kept != nullptr && mine->own == ptr) {
      root = mine->kept->root;
    } else {
      why = "the address is not that of the first part that this process has of kept memory";
    }
  }
  KeptName named;
  if (!why.empty()) named.failed = me_;
  if (root != 0) named.least_root = named.most_root = root;
  named = runtime_.all_merged(handle_, named);
  if (is_interrupted()) return false;
  if (named.failed != no_member) return fail(named.failed == me_, why);
  if (named.most_root == 0) return fail(me_ == 0, "no member names kept memory");
  if (!choose_old(named.most_root)) return false;
  KeptFacts known;
  if (named.least_root != named.most_root || (root != 0 && !old_)) known.failed = me_;
  return learn(known);
}

// Where an earlier recover has succeeded on some members only, all go on from what it made.
bool Recovery::choose_old(std::uint64_t root) {
  const std::vector<runtime::Allocation> all = runtime_.allocations().all_of_root(root);
  NewestWhole newest;
  for (const runtime::Allocation& each : all) {
    if (each.kept->is_whole) newest.merge({.recoveries = each.kept->recoveries, .id = each.id});
  }
  newest = runtime_.all_merged(handle_, newest);
  if (is_interrupted()) return false;
  const auto mine = std::ranges::find(all, newest.id, &runtime::Allocation::id);
  if (mine != all.end()) {
    old_ = std::make_unique<runtime::Allocation>(*mine);
    old_->kept->is_whole = true;
  }
  made_->root = root;
  made_->recoveries = newest.recoveries + 1;
  return true;
}

// All members know the same of the parts afterwards.
bool Recovery::learn(KeptFacts known) {
  has_old_ = runtime_.gather(handle_, std::uint8_t{old_ != nullptr});
  if (is_interrupted()) return false;
  if (old_) {
    const runtime::KeptAllocation& kept = *old_->kept;
    known.members = 1;
    known.parts = static_cast<std::uint32_t>(kept.bytes.size());
    known.copies = kept.wanted_copies;
    for (std::uint32_t part = known.parts; part-- > 0;) {
      if (kept.bytes[part] != 0 && source_of(part) == runtime::no_home) known.lost_part = part;
    }
  }
  const KeptFacts all = runtime_.all_merged(handle_, known);
  if (is_interrupted()) return false;
  if (all.failed != no_member) return fail(all.failed == me_, "members name different kept memory");
  if (all.lost_part != no_member) {
    return fail(me_ == 0, "part " + std::to_string(all.lost_part) +
                              " is lost: the member that had it is gone, and so are all that had a copy");
  }
  made_->wanted_copies = all.copies;
  if (old_) {
    made_->bytes = old_->kept->bytes;
    for (const Worker home : old_->kept->homes) wanted_.homes.push_back(member(home));
  }
  return all.members == group_.size() || learn_parts(all.parts);
}

bool Recovery::learn_parts(std::uint32_t parts) {
  made_->bytes.resize(parts);
  wanted_.homes.resize(parts, runtime::no_home);
  for (std::uint32_t begin = 0; begin < parts; begin += SomeParts::count) {
    const std::uint32_t count = std::min(SomeParts::count, parts - begin);
    SomeParts some;
    for (std::uint32_t i = 0; i < count; ++i) {
      some.bytes[i] = made_->bytes[begin + i];
      some.homes[i] = wanted_.homes[begin + i] + 1;  // no_home: 0
    }
    some = runtime_.all_merged(handle_, some);
    if (is_interrupted()) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      made_->bytes[begin + i] = some.bytes[i];
      wanted_.homes[begin + i] = some.homes[i] - 1;
    }
  }
  return true;
}

std::uint32_t Recovery::source_of(std::uint32_t part) const {
  const runtime::KeptAllocation& kept = *old_->kept;
  const auto source_at = [&](Worker worker) {
    const std::uint32_t source = member(worker);
    return source != runtime::no_home && has_old_[source] != 0 ? source : runtime::no_home;
  };
  std::uint32_t source = source_at(kept.homes[part]);
  for (std::uint32_t copy = 0; source == runtime::no_home && copy < kept.copies; ++copy) {
    source = source_at(kept.mirror_homes[part * kept.copies + copy]);
  }
  return source;
}

void* Recovery::source_address(std::uint32_t part) const {
  const runtime::KeptAllocation& kept = *old_->kept;
  if (kept.homes[part] == runtime_.me()) return kept.parts[part];
  for (std::uint32_t copy = 0; copy < kept.copies; ++copy) {
    const std::size_t at = part * kept.copies + copy;
    if (kept.mirror_homes[at] == runtime_.me()) return kept.mirrors[at];
  }
  return nullptr;
}

// Each member sends what it is the source of. The barrier's fences bring it to the new mirrors.
bool Recovery::fill() {
  for (std::uint32_t part = 0; old_ && part < made_->bytes.size(); ++part) {
    if (made_->bytes[part] == 0 || source_of(part) != me_) continue;
    runtime::Reach target;
    const auto home = static_cast<int>(wanted_.homes[part]);
    if (!runtime::find_reach(runtime_, name, home, handle_, target)) {
      code_ = COMEX_FAILURE;
      break;
    }
    const Result<Operation> operation =
        op::validate({.action = Action::put, .target = target.worker()}, source_address(part),
                     made_->parts[part], op::size_of(made_->bytes[part]));
    const int code = carry_out(runtime_, name, operation, target, made_->parts[part], Finish::block());
    if (code != COMEX_SUCCESS) code_ = code;
  }
  const bool is_filled = code_ == COMEX_SUCCESS;
  runtime_.barrier(handle_);
  if (is_interrupted()) return false;  // others may have gone on, or still write to what was made here
  const bool are_all_filled = runtime_.extras(handle_).collective->all_agree(is_filled);
  if (is_interrupted()) return false;
  return are_all_filled || fail(!is_filled, "a part could not be filled");
}

// What all members have recovered from, and what interrupted calls have made meanwhile. Nobody writes to it
// any more, and nothing is sent for it, once all have come here. If somebody dies now, everybody has the new
// memory all the same.
void Recovery::free_old() {
  made_->is_whole = true;
  std::vector<runtime::Allocation> old = runtime_.allocations().all_of_root(made_->root);
  std::erase_if(old, [&](const runtime::Allocation& each) { return each.kept == made_; });
  for (const runtime::Allocation& each : old) {
    forget_dead_parts(each.id);
    if (are_mirrors_in_use(*each.kept)) each.kept->own_mirrors = nullptr;  // never given back
    runtime::retire_parts(runtime_, name, each);
  }
  runtime_.synchronize(handle_);
  const bool have_all_retired = !groups::MemberFailures(runtime_.world().failures, group_.members()).any();
  for (const runtime::Allocation& each : old) {
    if (!have_all_retired) each.kept->own_mirrors = nullptr;  // never given back
    runtime::release_parts(runtime_, each);
    runtime_.allocations().remove(each.id, each.my_endpoint());
  }
}

// Nothing is sent any more for a part of a worker of this host that has died. The call that made it may have
// ended before this member had its address.
void Recovery::forget_dead_parts(std::uint64_t allocation) {
  shm::Extents& extents = runtime_.world().arena->extents();
  for (const shm::Extent& extent : extents.mirrored()) {
    const bool is_dead = runtime_.world().failures.of(extent.owner) == groups::WorkerState::dead;
    if (is_dead && extent.allocation == allocation) static_cast<void>(extents.retire(extent.offset));
  }
}

// Whether a part may still be sent to the mirrors that this member has: its home lives and is no member, or
// is dead and no member of its host can forget it.
bool Recovery::are_mirrors_in_use(const runtime::KeptAllocation& kept) const {
  const auto may_be_sent = [&](Worker home, const void* address) {
    const groups::WorkerState state = runtime_.world().failures.of(home);
    if (member(home) != runtime::no_home || state == groups::WorkerState::lost) return false;
    // Its address is known to those who completed the call that made it.
    if (state == groups::WorkerState::alive || address == nullptr) return true;
    for (std::uint32_t each = 0; each < group_.size(); ++each) {
      const auto worker = static_cast<Worker>(group_.members().lpid(each));
      if (has_old_[each] != 0 && runtime_.place(worker).host == runtime_.place(home).host) return false;
    }
    return true;
  };
  for (std::size_t at = 0; at < kept.mirror_homes.size(); ++at) {
    const std::size_t part = at / kept.copies;
    const bool is_mine = kept.mirror_homes[at] == runtime_.me() && kept.bytes[part] != 0;
    if (is_mine && may_be_sent(kept.homes[part], kept.parts[part])) return true;
  }
  return false;
}

}  // namespace
}  // namespace comex::calls

using namespace comex;

int comex_recover(void* ptr, comex_group_t handle, void** ptrs, int* homes) {
  const char* const name = "recover";
  const auto [runtime, group] = runtime::enter_group(name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, handle);
  if (const std::string why = runtime::why_not_kept(*runtime, *group, handle); !why.empty())
    return runtime::fail_together(*runtime, {.operation = name}, group->my_rank() == 0, why);
  return calls::Recovery(*runtime, *group, handle).run(ptr, ptrs, homes);
}
