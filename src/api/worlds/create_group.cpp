// A group of some processes, made by them alone: they find each other by the list of who they are.
#include <comex/worlds.h>

#include <algorithm>
#include <memory>
#include <string>

#include "api/call.h"
#include "api/join_pairwise.h"
#include "api/sides.h"
#include "api/worlds/groups.h"
#include "api/worlds/stand.h"

namespace comex::api {
namespace {

constexpr std::uint64_t creation_context = 0;

// Members of one creation find each other by what they agree on: the list itself.
std::uint64_t name_of(const Runtime& runtime, const Founders& founders) {
  constexpr std::uint64_t prime = 0x100000001b3ULL;
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::uint32_t rank = 0; rank < founders.lpids.size(); ++rank) {
    const Gpid gpid = runtime.book.gpid_of(founders.lpids[rank]).value();
    hash = (hash ^ (std::uint64_t{gpid.world} << 32 | gpid.rank)) * prime;
    if (founders.endpoints) hash = (hash ^ founders.endpoints.of(rank)) * prime;
  }
  return hash;
}

// The leader numbers the group and tells the others; nobody outside takes part. Endpoints of one process are
// told apart by their ranks.
std::uint64_t agree_on_context(Runtime& runtime, const Founders& founders, std::uint32_t my_rank) {
  const std::uint64_t name = name_of(runtime, founders);
  const auto route = [&](std::uint32_t rank) {
    const Route found = route_to(runtime, founders.bridge, founders.lpids[rank]);
    COMEX_BUG_IF(found.tokens == nullptr);
    return found;
  };
  const auto phase_of = [&](std::uint32_t rank) { return founders.endpoints ? rank : 0; };
  std::uint64_t context = 0;
  const auto bytes = std::as_writable_bytes(std::span(&context, 1));
  if (my_rank != 0) {
    const Route leader = route(0);
    runtime.engine.wait(
        [&] {
          return leader.tokens->take(leader.rank, creation_context, name, phase_of(my_rank), bytes) ||
                 leader.tokens->is_lost();
        },
        {"group_create"});
    return context;
  }
  context = runtime.context_over(founders.bridge);
  const op::Engine::Lock lock = runtime.engine.enter();
  for (std::uint32_t rank = 1; rank < founders.lpids.size(); ++rank) {
    const Route member = route(rank);
    member.tokens->send(member.rank, creation_context, name, phase_of(rank), bytes);
  }
  return context;
}

}  // namespace

BridgeId bridge_among(const Runtime& runtime, BridgeId bridge, const groups::ConnectionTable& members) {
  return members.lies_below(static_cast<Lpid>(runtime.size())) ? no_bridge : bridge;
}

Communicator make_communicator(Runtime& runtime, const groups::Group& group) {
  if (group.bridge() != no_bridge || group.is_inter() || group.endpoints()) return {};
  std::vector<int> ranks;  // lpids of the own world
  for_each_lpid(group.members(), [&](Lpid lpid) { ranks.push_back(lpid); });
  constexpr std::uint64_t tags = 32000;
  const int tag = static_cast<int>(group.context() % tags);
  return join_pairwise(runtime.world->workers.get(), ranks, static_cast<std::size_t>(group.my_rank()), tag);
}

int create_group(Runtime& runtime, const char* operation, Founders founders, std::uint32_t my_endpoint,
                 comex_group_t* new_group) {
  const std::span<const Lpid> lpids = founders.lpids;
  const auto me = static_cast<Lpid>(runtime.me());
  std::uint32_t my_rank = 0;
  while (my_rank < lpids.size() && (lpids[my_rank] != me || founders.endpoints.of(my_rank) != my_endpoint)) {
    ++my_rank;
  }
  if (my_rank == lpids.size()) {
    if (!has_place(runtime, operation, new_group)) return COMEX_FAILURE;
    *new_group = COMEX_GROUP_NULL;
    return COMEX_SUCCESS;
  }
  const auto members = groups::ConnectionTable::from(lpids);
  founders.bridge = bridge_among(runtime, founders.bridge, members);
  const std::uint64_t context = agree_on_context(runtime, founders, my_rank);
  auto group =
      std::make_unique<groups::Group>(context, runtime.book.make_table(members), static_cast<int>(my_rank),
                                      founders.endpoints, groups::Table(), founders.bridge);
  const groups::Group& made = *group;
  GroupExtras extras = runtime.extras_of(made);
  op::GroupCollective& collective = *extras.collective;  // stays where it is
  const int handle = runtime.add_group(std::move(group), extras);
  std::string complaint;
  if (handle < 0) complaint = no_handle_left();
  if (new_group == nullptr) complaint = "the place for the new group is null";
  // All are here: what follows needs nobody's service.
  const bool all_can = collective.all_agree(complaint.empty());
  const bool whole = handle < 0 || is_whole(runtime, operation, made);
  if (!all_can || !whole) {
    if (handle >= 0) runtime.remove_group(handle);
    if (!whole) return COMEX_FAILURE;
    if (complaint.empty()) return failed_elsewhere(runtime);
    return runtime.reporter.fail({.operation = operation}, complaint);
  }
  runtime.extras(handle).comm = make_communicator(runtime, made);
  *new_group = handle;
  return COMEX_SUCCESS;
}

MPI_Comm communicator_of(Runtime& runtime, comex_group_t handle) {
  if (handle == COMEX_GROUP_WORLD) return runtime.world->workers.get();
  if (handle == COMEX_GROUP_SELF) return runtime.world->self.get();
  return runtime.extras(handle).comm.get();
}

std::string no_handle_left() {
  return "there are " + std::to_string(groups::max_groups) + " groups already";
}

}  // namespace comex::api
