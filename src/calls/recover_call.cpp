// The call recover. It makes kept memory anew over the survivors, fills it from the parts and mirrors that
// are left, and gives the old memory back.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calls/carry_out.h"
#include "calls/kept_calls.h"

namespace comex::calls {
namespace {

constexpr std::uint32_t no_member = UINT32_MAX;

// What the members say of the memory that is meant. It travels as bytes and merges in any order.
struct KeptName {
  std::uint32_t failed = no_member;  // the first member with a wrong argument
  std::uint32_t members = 0;         // that know it
  std::uint64_t least_id = UINT64_MAX;
  std::uint64_t most_id = 0;
  void merge(const KeptName& other) {
    failed = std::min(failed, other.failed);
    members += other.members;
    least_id = std::min(least_id, other.least_id);
    most_id = std::max(most_id, other.most_id);
  }
};

struct KeptFacts {
  std::uint32_t failed = no_member;  // the first member that names other memory
  std::uint32_t members = 0;         // that know of the parts
  std::uint32_t parts = 0;
  std::uint32_t copies = 0;
  std::uint32_t lost_part = no_member;  // the first of which nothing is left
  std::uint32_t leftovers = 0;          // members with memory that was made of it and is not used
  std::uint64_t id = 0;                 // of the memory
  void merge(const KeptFacts& other) {
    failed = std::min(failed, other.failed);
    members += other.members;
    parts = std::max(parts, other.parts);
    copies = std::max(copies, other.copies);
    lost_part = std::min(lost_part, other.lost_part);
    leftovers += other.leftovers;
    id = std::max(id, other.id);
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
      : runtime_(runtime), group_(group), handle_(handle), me_(static_cast<std::uint32_t>(group.my_rank())) {}

  int run(void* ptr, void** ptrs, int* homes);

 private:
  static constexpr const char* name = "recover";

  bool is_interrupted() {
    code_ = runtime::check_all_live(runtime_, name, group_, handle_);
    return code_ != COMEX_SUCCESS;
  }
  bool fail(bool is_mine, const std::string& why) {
    code_ = fail_together(runtime_, name, is_mine, why);
    return false;
  }
  std::uint32_t member(Worker worker) const {
    const int rank = group_.members().rank_of(static_cast<Lpid>(worker));
    return rank < 0 ? runtime::no_home : static_cast<std::uint32_t>(rank);
  }
  // The functions return false if the call ends with code_.
  bool name_memory(void* ptr, void** ptrs, const int* homes);
  void choose_old(const KeptName& named);
  bool learn(KeptFacts known);
  bool learn_parts(std::uint32_t parts);
  std::uint32_t source_of(std::uint32_t part) const;  // no_home: nothing is left of it
  void* source_address(std::uint32_t part) const;
  bool fill();
  bool drop_leftovers(const KeptFacts& all);
  std::vector<runtime::Allocation> retire(std::span<const std::uint64_t> ids);
  void release(const std::vector<runtime::Allocation>& retired);
  void forget_dead_parts(const runtime::KeptAllocation& kept);
  bool are_mirrors_in_use(const runtime::KeptAllocation& kept) const;
  std::vector<std::uint64_t> made_of(std::uint64_t id) const;

  runtime::Runtime& runtime_;
  const groups::Group& group_;
  const int handle_;
  const std::uint32_t me_;
  int code_ = COMEX_SUCCESS;
  std::optional<runtime::Allocation> old_;  // none: a newcomer
  std::vector<std::uint64_t> earlier_;      // what it was made of here; freed once this call has succeeded
  std::vector<std::uint64_t> later_;        // what calls have made of it that have failed on all members
  std::uint64_t of_id_ = 0;                 // the memory, as all know it
  std::vector<std::uint8_t> has_old_;       // by member
  KeptShapes shapes_;
  std::shared_ptr<runtime::KeptAllocation> made_;
  std::uint64_t made_id_ = 0;
};

int Recovery::run(void* ptr, void** ptrs, int* homes) {
  runtime_.fence_members(group_);  // what is under way to members reaches the old memory
  if (!name_memory(ptr, ptrs, homes)) return code_;
  runtime::find_homes(shapes_.homes, group_.size());
  code_ = make_kept_over(runtime_, name, handle_, group_, shapes_, made_, made_id_);
  if (code_ != COMEX_SUCCESS) return code_;
  made_->made_of = of_id_;
  if (!fill()) return code_;
  if (old_) earlier_.push_back(old_->id);
  const std::vector<runtime::Allocation> retired = retire(earlier_);
  runtime_.synchronize(handle_);  // if somebody dies now, everybody has the new memory all the same
  release(retired);
  for (std::size_t part = 0; part < shapes_.homes.size(); ++part) {
    ptrs[part] = made_->parts[part];
    homes[part] = static_cast<int>(shapes_.homes[part]);
  }
  return COMEX_SUCCESS;
}

bool Recovery::name_memory(void* ptr, void** ptrs, const int* homes) {
  std::string why;
  std::optional<runtime::Allocation> mine;
  if (ptrs == nullptr || homes == nullptr) why = "the array of addresses or of homes is null";
  if (ptr != nullptr) {
    mine = runtime_.allocations().named_by(ptr);
    if (!mine || mine->kept == nullptr || mine->own != ptr) {
      mine.reset();
      why = "the address is not that of the first part that this process has of kept memory";
    }
  }
  KeptName named;
  if (!why.empty()) named.failed = me_;
  if (mine) named = {.failed = named.failed, .members = 1, .least_id = mine->id, .most_id = mine->id};
  named = runtime_.all_merged(handle_, named);
  if (is_interrupted()) return false;
  if (named.failed != no_member) return fail(named.failed == me_, why);
  if (named.members == 0) return fail(me_ == 0, "no member names kept memory");
  choose_old(named);
  const bool is_its_own =
      !mine || (old_ && (mine->id == old_->id || std::ranges::count(made_of(mine->id), old_->id) != 0));
  KeptFacts known;
  if (!is_its_own) known.failed = me_;
  return learn(known);
}

// What calls that were interrupted here have made of it, one of the other.
std::vector<std::uint64_t> Recovery::made_of(std::uint64_t id) const {
  std::vector<std::uint64_t> made;
  auto had = runtime_.allocations().by_id(id, group_.my_endpoint());
  while (had && had->kept != nullptr && had->kept->next_id != 0) {
    made.push_back(had->kept->next_id);
    had = runtime_.allocations().by_id(made.back(), group_.my_endpoint());
  }
  return made;
}

// Where a recover has failed on some members only, the others name what it made, and all go on from there.
void Recovery::choose_old(const KeptName& named) {
  const auto is_made_of = [&](std::uint64_t id, std::uint64_t earlier) {
    return std::ranges::count(made_of(earlier), id) != 0;
  };
  std::uint64_t chosen = is_made_of(named.least_id, named.most_id) ? named.least_id : named.most_id;
  const auto had = [&](std::uint64_t id) { return runtime_.allocations().by_id(id, group_.my_endpoint()); };
  if (!had(chosen)) chosen = named.least_id;
  old_ = had(chosen);
  if (old_ && old_->kept == nullptr) old_.reset();
  if (!old_) return;
  for (const std::uint64_t earlier : {named.least_id, named.most_id}) {
    if (!is_made_of(chosen, earlier)) continue;
    earlier_.push_back(earlier);
    for (const std::uint64_t between : made_of(earlier)) {
      if (between == chosen) break;
      earlier_.push_back(between);
    }
  }
  later_ = made_of(chosen);
}

// All members know the same of the parts afterwards.
bool Recovery::learn(KeptFacts known) {
  has_old_ = runtime_.gather(handle_, std::uint8_t{old_.has_value()});
  if (is_interrupted()) return false;
  if (old_) {
    const runtime::KeptAllocation& kept = *old_->kept;
    known.members = 1;
    known.parts = static_cast<std::uint32_t>(kept.bytes.size());
    known.copies = kept.wanted_copies;
    known.id = old_->id;
    for (std::uint32_t part = known.parts; part-- > 0;) {
      if (kept.bytes[part] != 0 && source_of(part) == runtime::no_home) known.lost_part = part;
    }
  }
  known.leftovers = later_.empty() ? 0 : 1;
  const KeptFacts all = runtime_.all_merged(handle_, known);
  if (is_interrupted()) return false;
  if (all.failed != no_member) return fail(all.failed == me_, "members name different kept memory");
  if (all.lost_part != no_member) {
    return fail(me_ == 0, "part " + std::to_string(all.lost_part) +
                              " is lost: the member that had it is gone, and so are all that had a copy");
  }
  if (!drop_leftovers(all)) return false;
  shapes_.copies = all.copies;
  if (old_) {
    shapes_.bytes = old_->kept->bytes;
    for (const Worker home : old_->kept->homes) shapes_.homes.push_back(member(home));
  }
  return all.members == group_.size() || learn_parts(all.parts);
}

bool Recovery::learn_parts(std::uint32_t parts) {
  shapes_.bytes.resize(parts);
  shapes_.homes.resize(parts, runtime::no_home);
  for (std::uint32_t begin = 0; begin < parts; begin += SomeParts::count) {
    const std::uint32_t count = std::min(SomeParts::count, parts - begin);
    SomeParts some;
    for (std::uint32_t i = 0; i < count; ++i) {
      some.bytes[i] = shapes_.bytes[begin + i];
      some.homes[i] = shapes_.homes[begin + i] + 1;  // no_home: 0
    }
    some = runtime_.all_merged(handle_, some);
    if (is_interrupted()) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      shapes_.bytes[begin + i] = some.bytes[i];
      shapes_.homes[begin + i] = some.homes[i] - 1;
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
  for (std::uint32_t part = 0; old_ && part < shapes_.bytes.size(); ++part) {
    if (shapes_.bytes[part] == 0 || source_of(part) != me_) continue;
    runtime::Reach target;
    const auto home = static_cast<int>(shapes_.homes[part]);
    if (!runtime::find_reach(runtime_, name, home, handle_, target)) break;
    op::Arguments put = as_put;
    put.target = target.worker();
    const Result<Operation> operation =
        op::validate(put, source_address(part), made_->parts[part], op::size_of(shapes_.bytes[part]));
    carry_out(runtime_, name, operation, target, made_->parts[part], Finish::block());
  }
  runtime_.barrier(handle_);
  if (!is_interrupted()) return true;
  // The others may have gone on, or still write to what is here: it stays, and is named or dropped next time.
  if (old_) old_->kept->next_id = made_id_;
  return false;
}

// Nobody writes to these parts or to their mirrors any more, and nothing is sent for them, once all members
// have come here.
std::vector<runtime::Allocation> Recovery::retire(std::span<const std::uint64_t> ids) {
  std::vector<runtime::Allocation> retired;
  for (const std::uint64_t id : ids) {
    const auto found = runtime_.allocations().by_id(id, group_.my_endpoint());
    if (!found) continue;
    forget_dead_parts(*found->kept);
    if (are_mirrors_in_use(*found->kept)) found->kept->own_mirrors = nullptr;  // never given back
    runtime::retire_parts(runtime_, name, *found);
    retired.push_back(*found);
  }
  return retired;
}

void Recovery::release(const std::vector<runtime::Allocation>& retired) {
  for (const runtime::Allocation& each : retired) {
    runtime::release_parts(runtime_, each);
    runtime_.allocations().remove(each.id, each.my_endpoint());
  }
}

// What interrupted calls have made of the memory on some members, newcomers among them.
bool Recovery::drop_leftovers(const KeptFacts& all) {
  of_id_ = all.id;
  if (old_) {
    old_->kept->next_id = 0;
  } else {
    later_ = runtime_.allocations().made_of(all.id);
  }
  if (all.leftovers == 0 && all.members == group_.size()) return true;
  const std::vector<runtime::Allocation> retired = retire(later_);
  runtime_.synchronize(handle_);
  const bool goes_on = !is_interrupted();
  for (const runtime::Allocation& each : retired) {
    if (!goes_on) each.kept->own_mirrors = nullptr;  // somebody may not have retired its part
  }
  release(retired);
  return goes_on;
}

// Nothing is sent any more for a part of a worker of this host that has died.
void Recovery::forget_dead_parts(const runtime::KeptAllocation& kept) {
  shm::Extents& extents = runtime_.world().arena->extents();
  for (std::size_t part = 0; part < kept.bytes.size(); ++part) {
    const Worker home = kept.homes[part];
    const groups::WorkerPlace& place = runtime_.place(home);
    const bool is_dead = runtime_.world().failures.of(home) == groups::WorkerState::dead;
    if (!is_dead || place.host != runtime_.place(runtime_.me()).host || kept.bytes[part] == 0) continue;
    static_cast<void>(extents.retire(op::Direct::offset_of(place, kept.parts[part])));
  }
}

// Whether a part may still be sent to the mirrors that this member has: its home lives and is no member, or
// is dead and no member of its host can forget it.
bool Recovery::are_mirrors_in_use(const runtime::KeptAllocation& kept) const {
  const auto may_be_sent = [&](Worker home) {
    const groups::WorkerState state = runtime_.world().failures.of(home);
    if (member(home) != runtime::no_home || state == groups::WorkerState::lost) return false;
    if (state == groups::WorkerState::alive) return true;
    for (std::uint32_t each = 0; each < group_.size(); ++each) {
      const auto worker = static_cast<Worker>(group_.members().lpid(each));
      if (has_old_[each] != 0 && runtime_.place(worker).host == runtime_.place(home).host) return false;
    }
    return true;
  };
  for (std::size_t at = 0; at < kept.mirror_homes.size(); ++at) {
    const std::size_t part = at / kept.copies;
    const bool is_mine = kept.mirror_homes[at] == runtime_.me() && kept.bytes[part] != 0;
    if (is_mine && may_be_sent(kept.homes[part])) return true;
  }
  return false;
}

}  // namespace
}  // namespace comex::calls

using namespace comex;

int comex_recover(void* ptr, comex_group_t handle, void** ptrs, int* homes) {
  const char* const name = "recover";
  runtime::Runtime* const runtime = runtime::enter(name);
  const groups::Group* const group =
      runtime == nullptr ? nullptr : runtime::enter_group(*runtime, name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, handle);
  if (const std::string why = runtime::why_not_kept(*runtime, *group, handle); !why.empty())
    return calls::fail_together(*runtime, name, group->my_rank() == 0, why);
  return calls::Recovery(*runtime, *group, handle).run(ptr, ptrs, homes);
}
