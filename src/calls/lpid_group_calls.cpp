// The calls that make groups of processes named by lpids, of one world or of several.
//
// If all are on one bridge or of one world, that carries the group. Otherwise each world's part is made
// first, and parts are joined in pairs, neighbours first, until one bridge has all.
#include <comex/worlds.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/diagnose.h"
#include "runtime/call.h"
#include "worlds/agreement/agree.h"
#include "worlds/agreement/create_group.h"
#include "worlds/bridge/bridge.h"
#include "worlds/joined_worlds.h"

namespace comex::calls {
using namespace worlds;
namespace {

constexpr const char* from_lpids = "group_from_lpids";
constexpr int joining_tag = 0x6c706964;  // for the leaders of two parts

// The oldest bridge that still connects all of them and is not lost. All members find the same one, sooner or
// later, because bridges open in one order and each member learns of a loss.
BridgeId common_bridge(runtime::Runtime& runtime, std::span<const Lpid> lpids) {
  for (const BridgeId id : worlds::joined_worlds(runtime).bridges.ids()) {
    if (runtime.why_lost(id).empty() && are_together(runtime, id, lpids)) return id;
  }
  return no_bridge;
}

// Over the oldest bridge that all are on. If that is lost meanwhile, the next one is tried. Returns nothing
// if no bridge leads to all.
std::optional<int> make_over_a_bridge(runtime::Runtime& runtime, ProposedGroup proposed,
                                      comex_group_t* group) {
  Created created = Created::bridge_is_lost;
  while (created == Created::bridge_is_lost) {
    proposed.bridge = common_bridge(runtime, proposed.lpids);
    if (proposed.bridge == no_bridge) return std::nullopt;
    created = try_to_create_group(runtime, from_lpids, proposed, groups::process_itself, group);
  }
  if (created == Created::member_died) return COMEX_PROC_FAILED;
  return created == Created::yes ? COMEX_SUCCESS : COMEX_FAILURE;
}

bool is_of_one_world(const runtime::Runtime& runtime, std::span<const Lpid> lpids) {
  return std::ranges::all_of(lpids, [&](Lpid lpid) { return runtime.is_own(lpid); });
}

// The members of each world, in the order of the list. Worlds are in the order of their first members.
std::vector<std::vector<Lpid>> by_world(const runtime::Runtime& runtime, std::span<const Lpid> lpids) {
  std::vector<WorldId> worlds;
  std::vector<std::vector<Lpid>> parts;
  for (const Lpid lpid : lpids) {
    const WorldId world = runtime.registry().gpid_of(lpid).value().world;
    const auto at = std::ranges::find(worlds, world) - worlds.begin();
    if (at == std::ssize(worlds)) {
      worlds.push_back(world);
      parts.emplace_back();
    }
    parts[static_cast<std::size_t>(at)].push_back(lpid);
  }
  return parts;
}

// Says why the group is impossible; empty: no reason is known.
std::string named_loss(runtime::Runtime& runtime, std::span<const Lpid> lpids) {
  runtime.other_worlds().tell_losses();
  for (const Lpid lpid : lpids) {
    if (runtime.is_own(lpid)) continue;
    std::string lost =
        worlds::joined_worlds(runtime).bridges.why_world_lost(runtime.registry().gpid_of(lpid).value().world);
    if (!lost.empty()) return lost;
  }
  return {};
}

// A number for the steps to this group, which is the same on all members.
std::uint64_t digest_of(const runtime::Runtime& runtime, std::span<const Lpid> lpids) {
  ListDigest digest;
  for (const Lpid lpid : lpids) digest.add(runtime.registry().gpid_of(lpid).value());
  return digest.value();
}

// The groups on the way to a bridge of all members. They are freed when the wanted group is there.
class IntermediateGroups {
 public:
  IntermediateGroups(runtime::Runtime& runtime, ProposedGroup proposed)
      : runtime_(runtime),
        proposed_(std::move(proposed)),
        salt_(digest_of(runtime, proposed_.lpids)),
        parts_(by_world(runtime, proposed_.lpids)) {}

  // Returns the bridge on which all members are then; collective over them. If two blocks cannot be joined,
  // all fail, and get no_bridge: the lower block's leader continues for both and tells the blocks that would
  // have joined them.
  BridgeId build() {
    const auto has_me = [&](const std::vector<Lpid>& part) { return runtime_.is_own(part.front()); };
    const auto mine = static_cast<std::size_t>(std::ranges::find_if(parts_, has_me) - parts_.begin());
    first_ = mine;
    fail_unless_made(create_group(runtime_, from_lpids, step(parts_[mine]), groups::process_itself, &here_));
    part_ = here_;
    for (std::size_t width = 1; width < parts_.size(); width *= 2) {
      const std::size_t block = mine / width * width;
      if (block != first_) break;
      const std::size_t other = block ^ width;
      if (other < parts_.size()) join(block, other);
    }
    return verdict_.code == COMEX_SUCCESS ? runtime_.groups().find(here_)->bridge() : no_bridge;
  }
  // Returns the code of the call that failed. A failure without a text has been reported, here or elsewhere.
  int report() const {
    if (verdict_.why.front() != '\0')
      return runtime_.reporter().fail({.operation = from_lpids}, verdict_.why.data());
    const bool has_died = verdict_.code == COMEX_PROC_FAILED;
    return has_died ? runtime::ended_by_death(runtime_) : runtime::failed_somewhere(runtime_);
  }
  // Collective over the members of the new group, which keeps the last bridge. After a failed step,
  // collective over the members of the groups made so far.
  void take_down() {
    for (comex_group_t& group : joined_) comex_world_disconnect(&group);
    comex_group_free(part_);
  }

 private:
  // What leaders tell each other and their blocks. Travels as bytes.
  struct BlockOutcome {
    int code = COMEX_SUCCESS;
    std::array<char, 508> why = {};
  };

  ProposedGroup step(std::span<const Lpid> lpids) const { return {lpids, {}, no_bridge, salt_}; }
  void fail(const std::string& why = "") {
    if (verdict_.code != COMEX_SUCCESS) return;
    verdict_.code = COMEX_FAILURE;
    why.copy(verdict_.why.data(), verdict_.why.size() - 1);
  }
  void fail_unless_made(int code) {
    if (verdict_.code == COMEX_SUCCESS) verdict_.code = code;
  }

  // Joins two blocks of worlds in one group, the lower block first. Their first members lead.
  void join(std::size_t block, std::size_t other) {
    const bool is_high = block > other;
    comex_group_t pair = COMEX_GROUP_NULL;
    if (parts_[first_].front() == static_cast<Lpid>(runtime_.me()))  // the leader
      pair = join_leaders(parts_[is_high ? other : block].front(), parts_[is_high ? block : other].front());
    if (here_ != COMEX_GROUP_NULL) spread();
    comex_group_t inter = COMEX_GROUP_NULL;
    comex_group_t merged = COMEX_GROUP_NULL;
    if (verdict_.code == COMEX_SUCCESS)
      fail_unless_made(comex_intergroup_create(here_, 0, pair, is_high ? 0 : 1, joining_tag, &inter));
    if (verdict_.code == COMEX_SUCCESS) fail_unless_made(comex_group_merge(inter, is_high ? 1 : 0, &merged));
    comex_group_free(pair);
    if (inter != COMEX_GROUP_NULL) joined_.push_back(inter);
    if (verdict_.code != COMEX_SUCCESS) return;
    joined_.push_back(merged);
    here_ = merged;
    first_ = std::min(block, other);
  }

  // On the leader: makes a group with the other leader. Both exchange whether their block has failed.
  comex_group_t join_leaders(Lpid low, Lpid high) {
    if (const std::string lost = named_loss(runtime_, proposed_.lpids); !lost.empty()) {
      fail(lost);
      return COMEX_GROUP_NULL;
    }
    const std::array<Lpid, 2> leaders{low, high};
    comex_group_t pair = COMEX_GROUP_NULL;
    const std::optional<int> made = make_over_a_bridge(runtime_, step(leaders), &pair);
    if (!made) {
      fail("no connection leads from process " + text_of(runtime_.registry().gpid_of(low).value()) +
           " to process " + text_of(runtime_.registry().gpid_of(high).value()) +
           ": no group has both of them, or none any more; where no group has all that the list names, the "
           "first of the worlds to be joined must share one");
    } else if (*made != COMEX_SUCCESS) {
      fail_unless_made(*made);
    } else {
      const auto verdicts = runtime::gather(*runtime_.extras(pair).collective, verdict_);
      const auto failed =
          std::ranges::find_if(verdicts, [](const BlockOutcome& each) { return each.code != COMEX_SUCCESS; });
      if (!runtime::check_not_lost(runtime_, from_lpids, *runtime_.groups().find(pair))) {
        fail();
      } else if (failed != verdicts.end() && verdict_.code == COMEX_SUCCESS) {
        verdict_ = *failed;
      }
    }
    return pair;
  }
  void spread() {
    runtime_.extras(here_).collective->broadcast(std::as_writable_bytes(std::span(&verdict_, 1)), 0);
    if (!runtime::check_not_lost(runtime_, from_lpids, *runtime_.groups().find(here_))) fail();
    if (runtime_.has_dead_member(here_)) fail_unless_made(COMEX_PROC_FAILED);
  }

  runtime::Runtime& runtime_;
  ProposedGroup proposed_;
  std::uint64_t salt_;
  std::vector<std::vector<Lpid>> parts_;
  std::size_t first_ = 0;  // the first of the parts joined with the own one
  comex_group_t part_ = COMEX_GROUP_NULL;
  comex_group_t here_ = COMEX_GROUP_NULL;
  std::vector<comex_group_t> joined_;
  BlockOutcome verdict_;
};

int make_spanning(runtime::Runtime& runtime, std::span<const Lpid> lpids, comex_group_t* group) {
  ProposedGroup proposed{lpids};
  if (!std::ranges::count(lpids, static_cast<Lpid>(runtime.me()))) {
    return create_group(runtime, from_lpids, proposed, groups::process_itself, group);
  }
  if (const std::optional<int> made = make_over_a_bridge(runtime, proposed, group)) return *made;
  if (const std::string lost = named_loss(runtime, lpids); !lost.empty())
    return runtime.reporter().fail({.operation = from_lpids}, lost);
  IntermediateGroups intermediate(runtime, proposed);
  proposed.bridge = intermediate.build();
  const bool is_built = proposed.bridge != no_bridge;
  const int result =
      is_built ? create_group(runtime, from_lpids, proposed, groups::process_itself, group) : COMEX_FAILURE;
  intermediate.take_down();
  return is_built ? result : intermediate.report();
}

Status check_lpids(const runtime::Runtime& runtime, std::span<const Lpid> members) {
  for (const Lpid lpid : members) {
    const auto gpid = runtime.registry().gpid_of(lpid);
    if (!gpid) return gpid.failure();
  }
  if (!groups::ConnectionTable::from(members).has_duplicates()) return {};
  std::vector<Lpid> sorted(members.begin(), members.end());
  std::ranges::sort(sorted);
  return caller_error("lpid " + std::to_string(*std::ranges::adjacent_find(sorted)) + " is named twice");
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_group_from_lpids(int n, const int lpids[], comex_group_t* group) {
  runtime::Runtime* runtime = runtime::enter(from_lpids);
  if (runtime == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(from_lpids, comex::groups::world_handle);
  if (n < 0 || (n > 0 && lpids == nullptr))
    return runtime->reporter().fail({.operation = from_lpids}, "it needs n >= 0 lpids and their list");
  const std::span<const comex::Lpid> members(lpids, static_cast<std::size_t>(n));
  const comex::Status valid = check_lpids(*runtime, members);
  if (!valid) return runtime->reporter().fail({.operation = from_lpids}, valid.failure());
  if (!is_of_one_world(*runtime, members)) return make_spanning(*runtime, members, group);
  return create_group(*runtime, from_lpids, {members}, comex::groups::process_itself, group);
}
