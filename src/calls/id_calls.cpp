// The calls for global and local ids and for the four ranks of a process, those that count tables,
// connections and worlds, and those of the card hook.
#include <comex/worlds.h>

#include <algorithm>
#include <span>
#include <vector>

#include "groups/world_identity.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

Gpid gpid_of(comex_gpid_t gpid) {
  return {gpid.world, gpid.rank};
}
comex_gpid_t c_gpid(Gpid gpid) {
  return {gpid.world, gpid.rank};
}

// Finds the group of a call whose array must be as long as the group.
runtime::Entered enter_for_all(const char* name, comex_group_t handle, int size, const void* place) {
  runtime::Runtime* runtime = runtime::enter(name);
  groups::Group* group = runtime == nullptr ? nullptr : runtime::find_group(*runtime, name, handle);
  if (group == nullptr) return {};
  const std::uint32_t wanted = group->targets().size();
  if (size < 0 || static_cast<std::uint32_t>(size) != wanted) {
    runtime->reporter().fail({.operation = name}, "the size is " + std::to_string(size) + ", but group " +
                                                      std::to_string(handle) + " has " +
                                                      std::to_string(wanted) + " ranks");
    return {};
  }
  return runtime::has_place(*runtime, name, place) ? runtime::Entered{runtime, group} : runtime::Entered{};
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_gpid(comex_group_t group, int rank, comex_gpid_t* gpid) {
  return runtime::tell_of_target("gpid", rank, group, gpid, [](const runtime::Runtime& runtime, Lpid lpid) {
    return c_gpid(runtime.registry().gpid_of(lpid).value());
  });
}

int comex_gpids(comex_group_t group, int size, comex_gpid_t gpids[], int* single_world) {
  const auto [runtime, found] = enter_for_all("gpids", group, size, gpids);
  if (found == nullptr) return COMEX_FAILURE;
  std::vector<Gpid> all;
  for (int rank = 0; rank < size; ++rank) {
    all.push_back(
        runtime->registry().gpid_of(found->targets().lpid(static_cast<std::uint32_t>(rank))).value());
  }
  std::ranges::transform(all, gpids, c_gpid);
  if (single_world != nullptr) *single_world = comex::groups::is_single_world(all) ? 1 : 0;
  return COMEX_SUCCESS;
}

int comex_gpids_to_lpids(int n, const comex_gpid_t gpids[], int lpids[]) {
  const char* name = "gpids_to_lpids";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (n < 0 || (n > 0 && (gpids == nullptr || lpids == nullptr))) {
    return runtime->reporter().fail({.operation = name},
                                    "it needs n >= 0 ids, their list and a place for as many");
  }
  std::vector<Lpid> all;
  for (const comex_gpid_t gpid : std::span(gpids, static_cast<std::size_t>(n))) {
    const Result<Lpid> lpid = runtime->registry().lpid_of(gpid_of(gpid));
    if (!lpid) return runtime->reporter().fail({.operation = name}, lpid.failure());
    all.push_back(lpid.value());
  }
  std::ranges::copy(all, lpids);
  return COMEX_SUCCESS;
}

int comex_gpid_to_lpid(comex_gpid_t gpid, int* lpid) {
  return runtime::tell("gpid_to_lpid", lpid, [&](const runtime::Runtime& runtime) {
    return runtime.registry().lpid_of(gpid_of(gpid));
  });
}

int comex_lpid_to_gpid(int lpid, comex_gpid_t* gpid) {
  using Answer = Result<comex_gpid_t>;
  return runtime::tell("lpid_to_gpid", gpid, [&](const runtime::Runtime& runtime) {
    const Result<Gpid> found = runtime.registry().gpid_of(lpid);
    return found ? Answer(c_gpid(found.value())) : Answer(found.failure());
  });
}

int comex_lpids(comex_group_t group, int size, int lpids[]) {
  const comex::groups::Group* found = enter_for_all("lpids", group, size, lpids).group;
  if (found == nullptr) return COMEX_FAILURE;
  for (int rank = 0; rank < size; ++rank) {
    lpids[rank] = found->targets().lpid(static_cast<std::uint32_t>(rank));
  }
  return COMEX_SUCCESS;
}

int comex_lpid_count(int* count) {
  return runtime::tell("lpid_count", count, [](const runtime::Runtime& runtime) {
    return static_cast<int>(runtime.registry().lpid_count());
  });
}

int comex_process_ranks(int lpid, comex_process_ranks_t* ranks) {
  using Answer = Result<comex_process_ranks_t>;
  return runtime::tell("process_ranks", ranks, [&](const runtime::Runtime& runtime) -> Answer {
    const Result<Gpid> gpid = runtime.registry().gpid_of(lpid);
    if (!gpid) return gpid.failure();
    const comex::groups::ConnectionData data = runtime.registry().connection_data(gpid.value()).value();
    const bool is_mine = gpid.value() == runtime.registry().me();
    static_assert(comex::groups::unknown_rank == COMEX_RANK_INVALID && comex::no_lpid == COMEX_RANK_INVALID);
    return comex_process_ranks_t{data.vpid, data.local_rank, data.node_rank,
                                 is_mine ? runtime.world().app_rank : COMEX_RANK_INVALID};
  });
}

int comex_table_references(comex_group_t group, int* count) {
  return runtime::tell_of_group("table_references", group, count,
                                [](const runtime::Runtime&, const groups::Group& found) {
                                  const auto& table = found.is_inter() ? found.remote_table() : found.table();
                                  return static_cast<int>(table.references());
                                });
}

int comex_connection_references(comex_gpid_t gpid, int* count) {
  return runtime::tell("connection_references", count, [&](runtime::Runtime& runtime) -> Result<int> {
    const Gpid named = gpid_of(gpid);
    const auto references = runtime.registry().connection_references(named);
    if (!references) return references.failure();
    const auto lpid = runtime.registry().lpid_of(named);
    const std::uint32_t pending = lpid && lpid.value() >= 0 ? runtime.pending_to(lpid.value()) : 0;
    return static_cast<int>(references.value() + pending);
  });
}

int comex_world_references(uint32_t world, int* count) {
  return runtime::tell("world_references", count, [&](const runtime::Runtime& runtime) -> Result<int> {
    const auto references = runtime.registry().world_references(world);
    if (!references) return references.failure();
    return static_cast<int>(references.value());
  });
}

int comex_set_card_hook(const comex_card_hook_t* hook) {
  const char* name = "set_card_hook";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (hook != nullptr && (hook->collect == nullptr || hook->deliver == nullptr)) {
    return runtime->reporter().fail({.operation = name},
                                    "a hook needs collect and deliver; ready may be null");
  }
  runtime->set_card_hook(hook == nullptr ? comex_card_hook_t{} : *hook);
  return COMEX_SUCCESS;
}
