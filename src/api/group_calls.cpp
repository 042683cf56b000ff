// Groups: create and free, ranks, sizes, communicators, translation, hosts.
#include <algorithm>
#include <vector>

#include "api/call.h"
#include "api/worlds/groups.h"
#include "groups/compare.h"

namespace comex::api {
namespace {

constexpr std::uint64_t creation_context = 0;

// Members of one creation find each other by what they agree on: the list itself.
std::uint64_t name_of(std::span<const Lpid> lpids) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const Lpid lpid : lpids) hash = (hash ^ static_cast<std::uint32_t>(lpid)) * 0x100000001b3ULL;
  return hash;
}

// The leader numbers the group and tells the others; nobody outside takes part.
std::uint64_t agree_on_context(Runtime& runtime, std::span<const Lpid> lpids) {
  const std::uint64_t name = name_of(lpids);
  const auto rank_of = [&](Lpid lpid) { return runtime.place(static_cast<Worker>(lpid)).rank; };
  const op::WaitReason reason{"group_create"};
  std::uint64_t context = 0;
  const auto bytes = std::as_writable_bytes(std::span(&context, 1));
  if (static_cast<Worker>(lpids.front()) != runtime.me()) {
    runtime.engine.wait(
        [&] { return runtime.tokens.take(rank_of(lpids.front()), creation_context, name, 0, bytes); },
        reason);
    return context;
  }
  context = runtime.new_context();
  const op::Engine::Lock lock = runtime.engine.enter();
  for (const Lpid lpid : lpids.subspan(1)) {
    runtime.tokens.send(rank_of(lpid), creation_context, name, 0, bytes);
  }
  return context;
}

// Called by members only, all of whom are here. MPI-1 builds a communicator without the rest of its parent by
// joining neighbouring blocks in pairs, the lower ranks first: 1 with 1, 2 with 2, 4 with 4 and so on.
Communicator make_communicator(Runtime& runtime, std::span<const Lpid> lpids, std::uint64_t context) {
  constexpr std::uint64_t tags = 32000;
  const int tag = static_cast<int>(context % tags);
  const auto me = static_cast<std::size_t>(
      std::ranges::find(lpids, runtime.me(), [](Lpid lpid) { return static_cast<Worker>(lpid); }) -
      lpids.begin());
  Communicator joined = Communicator::duplicate(MPI_COMM_SELF);
  for (std::size_t width = 1; width < lpids.size(); width *= 2) {
    const std::size_t mine = me / width * width;
    const std::size_t other = mine ^ width;
    if (other >= lpids.size()) continue;
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Comm merged = MPI_COMM_NULL;
    PMPI_Intercomm_create(joined.get(), 0, runtime.world->workers.get(), static_cast<int>(lpids[other]), tag,
                          &both);
    PMPI_Intercomm_merge(both, mine > other ? 1 : 0, &merged);
    PMPI_Comm_free(&both);
    joined = Communicator(merged);
  }
  return joined;
}

Result<std::vector<Lpid>> members_of(const groups::Group& parent, std::span<const int> ranks) {
  std::vector<Lpid> lpids;
  lpids.reserve(ranks.size());
  for (const int rank : ranks) {
    if (rank < 0 || static_cast<std::uint32_t>(rank) >= parent.size()) {
      return caller_error("rank " + std::to_string(rank) + " is out of range: the group has ranks 0 to " +
                          std::to_string(parent.size() - 1));
    }
    lpids.push_back(parent.members().lpid(static_cast<std::uint32_t>(rank)));
  }
  if (groups::ConnectionTable::from(lpids).has_duplicates()) return caller_error("a rank is named twice");
  return lpids;
}

}  // namespace

int create_group(Runtime& runtime, const char* operation, std::span<const Lpid> lpids,
                 comex_group_t* new_group) {
  const groups::ConnectionTable members = groups::ConnectionTable::from(lpids);
  const int my_rank = members.rank_of(static_cast<Lpid>(runtime.me()));
  if (my_rank < 0) {
    *new_group = COMEX_GROUP_NULL;
    return COMEX_SUCCESS;
  }
  const std::uint64_t context = agree_on_context(runtime, lpids);
  auto group = std::make_unique<groups::Group>(context, runtime.book.make_table(members), my_rank);
  GroupExtras extras = runtime.extras_of(*group);
  op::GroupCollective& collective = *extras.collective;  // stays where it is
  const int handle = runtime.add_group(std::move(group), extras);
  // All are here: what follows needs nobody's service.
  if (!collective.all_agree(handle >= 0)) {
    if (handle < 0) return no_handle_left(runtime, operation);
    runtime.remove_group(handle);
    return failed_elsewhere(runtime);
  }
  runtime.extras(handle).comm = make_communicator(runtime, lpids, context);
  *new_group = handle;
  return COMEX_SUCCESS;
}

int no_handle_left(Runtime& runtime, const char* operation) {
  return runtime.reporter.fail({.operation = operation},
                               "there are " + std::to_string(groups::max_groups) + " groups already");
}

}  // namespace comex::api

using namespace comex::api;
using comex::Worker;

int comex_group_create(int n, int* pid_list, comex_group_t group, comex_group_t* new_group) {
  const char* name = "group_create";
  Runtime* runtime = enter(name);
  const comex::groups::Group* parent = runtime == nullptr ? nullptr : find_group(*runtime, name, group);
  if (parent == nullptr) return COMEX_FAILURE;
  if (n < 0 || (n > 0 && pid_list == nullptr) || new_group == nullptr) {
    return runtime->reporter.fail({.operation = name},
                                  "it needs n >= 0 ranks, their list and a place for the "
                                  "new group");
  }
  auto lpids = members_of(*parent, std::span(pid_list, static_cast<std::size_t>(n)));
  if (!lpids) return runtime->reporter.fail({.operation = name}, lpids.failure());
  return create_group(*runtime, name, lpids.value(), new_group);
}

int comex_group_free(comex_group_t group) {
  const char* name = "group_free";
  Runtime* runtime = enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (group == COMEX_GROUP_NULL) return COMEX_SUCCESS;
  if (group == COMEX_GROUP_WORLD || group == COMEX_GROUP_SELF) {
    return runtime->reporter.fail({.operation = name}, "COMEX_GROUP_WORLD and _SELF live until finalize");
  }
  const comex::groups::Group* found = find_group(*runtime, name, group);
  if (found == nullptr) return COMEX_FAILURE;
  runtime->complete(*found);                     // what is under way holds the group
  runtime->extras(group).collective->barrier();  // freeing the communicator is collective
  runtime->remove_group(group);
  return COMEX_SUCCESS;
}

int comex_group_rank(comex_group_t group, int* rank) {
  Runtime* runtime = enter("group_rank");
  if (runtime == nullptr || !has_place(*runtime, "group_rank", rank)) return COMEX_FAILURE;
  if (group == COMEX_GROUP_NULL) {  // what a caller outside of a new group holds
    *rank = -1;
    return COMEX_SUCCESS;
  }
  const comex::groups::Group* found = find_group(*runtime, "group_rank", group);
  if (found == nullptr) return COMEX_FAILURE;
  *rank = found->my_rank();
  return COMEX_SUCCESS;
}

int comex_group_size(comex_group_t group, int* size) {
  Runtime* runtime = enter("group_size");
  if (runtime == nullptr || !has_place(*runtime, "group_size", size)) return COMEX_FAILURE;
  if (group == COMEX_GROUP_NULL) {
    *size = 0;
    return COMEX_SUCCESS;
  }
  const comex::groups::Group* found = find_group(*runtime, "group_size", group);
  if (found == nullptr) return COMEX_FAILURE;
  *size = static_cast<int>(found->size());
  return COMEX_SUCCESS;
}

int comex_group_comm(comex_group_t group, MPI_Comm* comm) {
  Runtime* runtime = enter("group_comm");
  if (runtime == nullptr || !has_place(*runtime, "group_comm", comm)) return COMEX_FAILURE;
  if (group == COMEX_GROUP_NULL) {
    *comm = MPI_COMM_NULL;
    return COMEX_SUCCESS;
  }
  if (find_group(*runtime, "group_comm", group) == nullptr) return COMEX_FAILURE;
  *comm = group == COMEX_GROUP_WORLD ? runtime->world->workers.get() : runtime->extras(group).comm.get();
  return COMEX_SUCCESS;
}

int comex_group_translate_ranks(int n, comex_group_t from, int* ranks_from, comex_group_t to, int* ranks_to) {
  const char* name = "group_translate_ranks";
  Runtime* runtime = enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  const comex::groups::Group* source = find_group(*runtime, name, from);
  if (source == nullptr) return COMEX_FAILURE;
  const comex::groups::Group* target = find_group(*runtime, name, to);
  if (target == nullptr) return COMEX_FAILURE;
  if (n < 0 || (n > 0 && (ranks_from == nullptr || ranks_to == nullptr))) {
    return runtime->reporter.fail({.operation = name},
                                  "it needs n >= 0 ranks, their list and a place for as many");
  }
  std::vector<int> translated;
  for (int i = 0; i < n; ++i) {
    const int rank = ranks_from[i];
    if (rank < 0 || static_cast<std::uint32_t>(rank) >= source->size()) {
      return runtime->reporter.fail({.operation = name}, "rank " + std::to_string(rank) +
                                                             " is out of range: group " +
                                                             std::to_string(from) + " has ranks 0 to " +
                                                             std::to_string(source->size() - 1));
    }
    const int found =
        comex::groups::counterpart({source->members(), source->endpoints()}, static_cast<std::uint32_t>(rank),
                                   {target->members(), target->endpoints()});
    translated.push_back(found < 0 ? MPI_UNDEFINED : found);
  }
  std::copy(translated.begin(), translated.end(), ranks_to);
  return COMEX_SUCCESS;
}

int comex_group_translate_world(comex_group_t group, int group_rank, int* world_rank) {
  Runtime* runtime = enter("group_translate_world");
  Worker target = 0;
  if (runtime == nullptr || !find_target(*runtime, "group_translate_world", group_rank, group, target)) {
    return COMEX_FAILURE;
  }
  if (!has_place(*runtime, "group_translate_world", world_rank)) return COMEX_FAILURE;
  *world_rank = static_cast<int>(target);
  return COMEX_SUCCESS;
}

int comex_host_of(int proc, comex_group_t group, int* host) {
  Runtime* runtime = enter("host_of");
  Worker target = 0;
  if (runtime == nullptr || !find_target(*runtime, "host_of", proc, group, target)) return COMEX_FAILURE;
  if (!has_place(*runtime, "host_of", host)) return COMEX_FAILURE;
  *host = static_cast<int>(runtime->router.world().pointer_domain(target));
  return COMEX_SUCCESS;
}
