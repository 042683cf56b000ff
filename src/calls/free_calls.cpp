// Frees what was allocated over a group. The call fails on all members or on none.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "groups/participants.h"
#include "runtime/allocating.h"
#include "runtime/kept/allocation.h"

namespace comex::calls {
namespace {

// One free call on one member. If one word from each member is not enough, the owners are asked, in exchanges
// among all members. All members take the same steps, because all have the same words.
class Freeing {
 public:
  Freeing(runtime::Runtime& runtime, const char* name, void* ptr, const groups::Group& group, int handle)
      : runtime_(runtime),
        where_{name, {}, ptr},
        group_(group),
        handle_(handle),
        all_(groups::participants(group, runtime.registry()).members),
        me_(runtime.extras(handle).collective->me()),
        mine_(claim(ptr)) {}

  int run();

 private:
  runtime::Claim claim(const void* ptr) const;
  runtime::AllocationWord word() const;
  // True also for an allocation over another group with the same members, in any order.
  bool is_ours(const runtime::Allocation& allocation) const {
    return groups::relation(allocation.side(), {all_, group_.endpoints()}) != groups::Relation::unequal;
  }

  bool has_lost_members();
  // Sets id_. Returns false if the call ends here, with failed_.
  bool settle();
  bool settle_unknown(const std::vector<runtime::Claim>& claims, const std::vector<std::size_t>& members);
  // Asks the owners for their allocations over the group that begin at the address; hosts may use one address
  // for several.
  bool ask_for(std::uint64_t address, std::set<std::uint64_t>& ids);
  template <class T>
  bool gather(const T& mine, std::vector<T>& all);

  bool end(int status) {
    failed_ = status;
    return false;
  }
  bool refuse(std::size_t member, const std::string& why);  // that member tells why
  bool refuse_address(std::size_t member, bool has_one) {
    return refuse(member,
                  has_one ? "the address names another allocation than that of another member of the group"
                          : "the address is not that of an allocation over group " + std::to_string(handle_));
  }
  int free_own_part();
  int free_all_parts();

  runtime::Runtime& runtime_;
  const Context where_;
  const groups::Group& group_;
  const int handle_;
  const groups::ConnectionTable all_;
  const std::size_t me_;
  const runtime::Claim mine_;
  std::uint64_t id_ = 0;  // 0: all members freed 0 bytes
  int failed_ = COMEX_SUCCESS;
  int lost_ = COMEX_SUCCESS;  // why members are missing
};

runtime::Claim Freeing::claim(const void* ptr) const {
  constexpr std::uint64_t aligned = 64;  // at least the alignment of allocated memory
  if (ptr == nullptr) return {};
  const auto address = reinterpret_cast<std::uint64_t>(ptr);
  const std::optional<runtime::Allocation> found = runtime_.allocations().named_by(ptr);
  if (found && is_ours(*found)) return {runtime::Claim::known, found->id, address};
  return {address % aligned == 0 ? runtime::Claim::unknown : runtime::Claim::wrong, 0, address};
}

runtime::AllocationWord Freeing::word() const {
  if (mine_.kind == runtime::Claim::nothing) return runtime::AllocationWord::frees_nothing();
  const auto nth = groups::nth_allocation(group_.context(), mine_.id);
  return mine_.kind == runtime::Claim::known && nth ? runtime::AllocationWord::frees_nth(*nth)
                                                    : runtime::AllocationWord::frees_by_claim();
}

int Freeing::run() {
  runtime_.fence_members(group_);
  const runtime::AllocationVerdict verdict = runtime::exchange_words(runtime_, handle_, word()).verdict;
  if (has_lost_members()) return free_own_part();
  if (const auto odd = verdict.odd_one()) return runtime::fail_apart(runtime_, where_, *odd, me_);
  if (const auto nth = verdict.same_nth()) {
    id_ = *nth == 0 ? 0 : groups::allocation_id(group_.context(), *nth).value();
  } else if (!settle()) {
    return failed_;
  }
  return id_ == 0 ? COMEX_SUCCESS : free_all_parts();
}

bool Freeing::settle() {
  std::vector<runtime::Claim> claims;
  if (!gather(mine_, claims)) return false;
  if (const auto mistaken = runtime::first_mistake(claims))
    return refuse_address(*mistaken, claims[*mistaken].kind == runtime::Claim::known);
  id_ = runtime::known_id(claims);
  const std::vector<std::size_t> members = runtime::unanswered(claims);
  return members.empty() || settle_unknown(claims, members);
}

bool Freeing::settle_unknown(const std::vector<runtime::Claim>& claims,
                             const std::vector<std::size_t>& members) {
  std::set<std::uint64_t> ids;
  if (id_ == 0) {
    if (!ask_for(claims[members.front()].address, ids)) return false;
    if (ids.empty()) return refuse_address(members.front(), false);
    if (ids.size() > 1) {
      return refuse(members.front(),
                    "the address is that of several allocations, on several hosts; free by the own address");
    }
    id_ = *ids.begin();
  }
  const std::optional<runtime::Allocation> allocation =
      runtime_.allocations().by_id(id_, group_.my_endpoint());
  std::vector<std::uint64_t> addresses;  // 0: malloc has failed on that member alone, by a death
  if (!gather(allocation ? reinterpret_cast<std::uint64_t>(allocation->own) : 0, addresses)) return false;
  const auto stranger = runtime::first_stranger(claims, members, std::move(addresses));
  if (!stranger) return true;
  return ask_for(claims[*stranger].address, ids) && refuse_address(*stranger, !ids.empty());
}

bool Freeing::ask_for(std::uint64_t address, std::set<std::uint64_t>& ids) {
  const std::optional<runtime::Allocation> mine =
      runtime_.allocations().named_by(reinterpret_cast<const void*>(address));
  std::vector<std::uint64_t> answers;  // 0: the owner does not have it
  if (!gather(mine && is_ours(*mine) ? mine->id : 0, answers)) return false;
  ids = {answers.begin(), answers.end()};
  ids.erase(0);
  return true;
}

template <class T>
bool Freeing::gather(const T& mine, std::vector<T>& all) {
  all = runtime_.gather(handle_, mine);
  return !has_lost_members() || end(free_own_part());
}

bool Freeing::refuse(std::size_t member, const std::string& why) {
  return end(runtime::fail_together(runtime_, where_, member == me_, why));
}

bool Freeing::has_lost_members() {
  lost_ = runtime::check_all_live(runtime_, where_.operation, group_, handle_);
  return lost_ != COMEX_SUCCESS;
}

// Members are lost, so nobody can be waited for. The worker's own part is still freed.
int Freeing::free_own_part() {
  const std::uint64_t id = id_ != 0 ? id_ : mine_.id;
  const std::optional<runtime::Allocation> found = runtime_.allocations().by_id(id, group_.my_endpoint());
  if (!found) return lost_;
  if (found->kept != nullptr) {
    found->kept->own_mirrors = nullptr;  // parts of the dead and of others may still be sent there: they stay
    runtime::retire_parts(runtime_, where_.operation, *found);
  }
  runtime::release_parts(runtime_, *found);
  runtime_.allocations().remove(id, group_.my_endpoint());
  return lost_;
}

int Freeing::free_all_parts() {
  const std::optional<runtime::Allocation> allocation =
      runtime_.allocations().by_id(id_, group_.my_endpoint());
  if (allocation) runtime::retire_parts(runtime_, where_.operation, *allocation);
  runtime_.synchronize(handle_);
  const bool have_all_retired = !has_lost_members();
  if (allocation) {
    if (!have_all_retired && allocation->kept != nullptr) allocation->kept->own_mirrors = nullptr;
    runtime::release_parts(runtime_, *allocation);
    runtime_.allocations().remove(id_, group_.my_endpoint());
  }
  return lost_;
}

int free_over(const char* name, void* ptr, comex_group_t handle) {
  const auto [runtime, group] = runtime::enter_group(name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, handle);
  return Freeing(*runtime, name, ptr, *group, handle).run();
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_free(void* ptr, comex_group_t group) {
  return free_over("free", ptr, group);
}

int comex_free_dev(void* ptr, comex_group_t group) {
  return free_over("free_dev", ptr, group);
}
