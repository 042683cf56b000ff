// The calls for global and local ids, and for the four ranks of a process.
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

// The arrays of a call must be as long as its group.
bool has_size(runtime::Runtime& runtime, const char* name, const groups::Group& group, comex_group_t handle,
              int size) {
  const std::uint32_t wanted = group.targets().size();
  if (size >= 0 && static_cast<std::uint32_t>(size) == wanted) return true;
  runtime.reporter().fail({.operation = name}, "the size is " + std::to_string(size) + ", but group " +
                                                   std::to_string(handle) + " has " + std::to_string(wanted) +
                                                   " ranks");
  return false;
}

bool has_list(runtime::Runtime& runtime, const char* name, int n, const void* in, const void* out) {
  if (n >= 0 && (n == 0 || (in != nullptr && out != nullptr))) return true;
  runtime.reporter().fail({.operation = name}, "it needs n >= 0 ids, their list and a place for as many");
  return false;
}

// Looks up all or none.
int look_up(runtime::Runtime& runtime, const char* name, std::span<const comex_gpid_t> gpids, int lpids[]) {
  std::vector<Lpid> all;
  for (const comex_gpid_t gpid : gpids) {
    const Result<Lpid> lpid = runtime.registry().lpid_of(gpid_of(gpid));
    if (!lpid) return runtime.reporter().fail({.operation = name}, lpid.failure());
    all.push_back(lpid.value());
  }
  std::ranges::copy(all, lpids);
  return COMEX_SUCCESS;
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
  const char* name = "gpids";
  runtime::Runtime* runtime = runtime::enter(name);
  const comex::groups::Group* found =
      runtime == nullptr ? nullptr : runtime::find_group(*runtime, name, group);
  if (found == nullptr || !has_size(*runtime, name, *found, group, size)) return COMEX_FAILURE;
  if (!runtime::has_place(*runtime, name, gpids)) return COMEX_FAILURE;
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
  if (runtime == nullptr || !has_list(*runtime, name, n, gpids, lpids)) return COMEX_FAILURE;
  return look_up(*runtime, name, std::span(gpids, static_cast<std::size_t>(n)), lpids);
}

int comex_gpid_to_lpid(comex_gpid_t gpid, int* lpid) {
  const char* name = "gpid_to_lpid";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr || !runtime::has_place(*runtime, name, lpid)) return COMEX_FAILURE;
  return look_up(*runtime, name, std::span(&gpid, 1), lpid);
}

int comex_lpid_to_gpid(int lpid, comex_gpid_t* gpid) {
  const char* name = "lpid_to_gpid";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr || !runtime::has_place(*runtime, name, gpid)) return COMEX_FAILURE;
  const Result<Gpid> found = runtime->registry().gpid_of(lpid);
  if (!found) return runtime->reporter().fail({.operation = name}, found.failure());
  *gpid = c_gpid(found.value());
  return COMEX_SUCCESS;
}

int comex_lpids(comex_group_t group, int size, int lpids[]) {
  const char* name = "lpids";
  runtime::Runtime* runtime = runtime::enter(name);
  const comex::groups::Group* found =
      runtime == nullptr ? nullptr : runtime::find_group(*runtime, name, group);
  if (found == nullptr || !has_size(*runtime, name, *found, group, size)) return COMEX_FAILURE;
  if (!runtime::has_place(*runtime, name, lpids)) return COMEX_FAILURE;
  for (int rank = 0; rank < size; ++rank) {
    lpids[rank] = found->targets().lpid(static_cast<std::uint32_t>(rank));
  }
  return COMEX_SUCCESS;
}

int comex_lpid_count(int* count) {
  runtime::Runtime* runtime = runtime::enter("lpid_count");
  if (runtime == nullptr || !runtime::has_place(*runtime, "lpid_count", count)) return COMEX_FAILURE;
  *count = static_cast<int>(runtime->registry().lpid_count());
  return COMEX_SUCCESS;
}

int comex_process_ranks(int lpid, comex_process_ranks_t* ranks) {
  const char* name = "process_ranks";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr || !runtime::has_place(*runtime, name, ranks)) return COMEX_FAILURE;
  const Result<Gpid> gpid = runtime->registry().gpid_of(lpid);
  if (!gpid) return runtime->reporter().fail({.operation = name}, gpid.failure());
  const comex::groups::ConnectionData data = runtime->registry().connection_data(gpid.value()).value();
  const bool is_mine = gpid.value() == runtime->registry().me();
  static_assert(comex::groups::unknown_rank == COMEX_RANK_INVALID && comex::no_lpid == COMEX_RANK_INVALID);
  *ranks = {data.vpid, data.local_rank, data.node_rank,
            is_mine ? runtime->world().app_rank : COMEX_RANK_INVALID};
  return COMEX_SUCCESS;
}
