// The group calls: create and free, ranks, sizes, communicators, translation, hosts, comparison, dead
// members.
#include <comex/worlds.h>

#include <algorithm>
#include <vector>

#include "groups/compare.h"
#include "runtime/call.h"
#include "runtime/facade.h"
#include "worlds/agreement/agree.h"
#include "worlds/agreement/create_group.h"
#include "worlds/bridge/bridge.h"

namespace comex::calls {
namespace {

Status check_ranks(const groups::Group& parent, int n, const int* ranks) {
  if (n < 0 || (n > 0 && ranks == nullptr)) return caller_error("it needs n >= 0 ranks and their list");
  std::vector<bool> is_named(parent.size());
  for (const int rank : std::span(ranks, static_cast<std::size_t>(n))) {
    if (rank < 0 || static_cast<std::uint32_t>(rank) >= parent.size()) {
      return caller_error("rank " + std::to_string(rank) + " is out of range: the group has ranks 0 to " +
                          std::to_string(parent.size() - 1));
    }
    const auto at = static_cast<std::uint32_t>(rank);
    if (is_named[at]) return caller_error("rank " + std::to_string(rank) + " is named twice");
    is_named[at] = true;
  }
  return {};
}

int create_of_ranks(int n, const int* pid_list, comex_group_t group, comex_group_t* new_group,
                    bool waits_for_all) {
  const char* name = "group_create";
  const auto [runtime, parent] = runtime::enter_group(name, group);
  if (parent == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, group);
  // The ranks of an inter-group name its other side, so no group of them would contain the caller.
  if (const std::string why = worlds::why_two_sided(*parent, group); !why.empty()) {
    return runtime->reporter().fail({.operation = name}, why);
  }
  const Status valid = check_ranks(*parent, n, pid_list);
  if (!valid) return runtime->reporter().fail({.operation = name}, valid.failure());
  const std::vector<std::uint32_t> ranks(pid_list, pid_list + n);
  const std::vector<Lpid> lpids = parent->members().lpids(ranks);
  const worlds::ProposedGroup proposed{.lpids = lpids,
                                       .endpoints = parent->endpoints().subset(ranks),
                                       .bridge = parent->bridge(),
                                       .waits_for_all = waits_for_all};
  return worlds::create_group(*runtime, name, proposed, parent->my_endpoint(), new_group);
}

std::vector<std::uint32_t> living_ranks(const runtime::Runtime& runtime,
                                        const groups::ConnectionTable& members) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
    if (!runtime::has_failed(runtime, members.lpid(rank))) ranks.push_back(rank);
  }
  return ranks;
}

// Returns COMEX_SUCCESS when the value of ask(one, other) has been stored at `result`.
template <class Ask>
int ask_both(const char* name, comex_group_t a, comex_group_t b, int* result, Ask&& ask) {
  return runtime::tell_of_group(name, a, result,
                                [&](runtime::Runtime& runtime, const groups::Group& one) -> Result<int> {
                                  const groups::Group* other = runtime.groups().find(b);
                                  if (other == nullptr) return runtime::no_such_group(b);
                                  return static_cast<int>(ask(one, *other));
                                });
}

}  // namespace

static_assert(groups::congruent == COMEX_CONGRUENT && groups::alias_bit == COMEX_ALIASED);
static_assert(static_cast<int>(groups::Relation::identical) == COMEX_IDENT);
static_assert(static_cast<int>(groups::Relation::similar) == COMEX_SIMILAR);
static_assert(static_cast<int>(groups::Relation::unequal) == COMEX_UNEQUAL);

}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_group_create(int n, int* pid_list, comex_group_t group, comex_group_t* new_group) {
  return create_of_ranks(n, pid_list, group, new_group, false);
}

int comex_group_create_without_limit(int n, int* pid_list, comex_group_t group, comex_group_t* new_group) {
  return create_of_ranks(n, pid_list, group, new_group, true);
}

int comex_group_free(comex_group_t group) {
  const char* name = "group_free";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (group == COMEX_GROUP_NULL) return COMEX_SUCCESS;
  if (group == COMEX_GROUP_WORLD || group == COMEX_GROUP_SELF) {
    return runtime->reporter().fail({.operation = name}, "COMEX_GROUP_WORLD and _SELF live until finalize");
  }
  const comex::groups::Group* found = runtime::enter_group(*runtime, name, group);
  if (found == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, group);
  runtime->complete(*found);                     // before the group is removed
  runtime->extras(group).collective->barrier();  // freeing the communicator is collective
  const int code = runtime->has_dead_member(group) ? runtime::ended_by_death(*runtime) : COMEX_SUCCESS;
  worlds::note_freed(*runtime, *found);
  runtime->remove_group(group);
  return code;
}

// For COMEX_GROUP_NULL the rank is -1 and the size 0.
int comex_group_rank(comex_group_t group, int* rank) {
  return runtime::tell_of_group<int>(
      "group_rank", group, rank,
      [](const runtime::Runtime&, const comex::groups::Group& found) { return found.my_rank(); }, -1);
}

int comex_group_size(comex_group_t group, int* size) {
  return runtime::tell_of_group<int>(
      "group_size", group, size,
      [](const runtime::Runtime&, const comex::groups::Group& found) {
        return static_cast<int>(found.size());
      },
      0);
}

int comex_group_comm(comex_group_t group, MPI_Comm* comm) {
  return runtime::tell_of_group<MPI_Comm>(
      "group_comm", group, comm,
      [group](runtime::Runtime& runtime, const comex::groups::Group&) {
        return worlds::communicator_of(runtime, group);
      },
      MPI_COMM_NULL);
}

int comex_group_translate_ranks(int n, comex_group_t from, int* ranks_from, comex_group_t to, int* ranks_to) {
  const char* name = "group_translate_ranks";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  const comex::groups::Group* source = runtime::find_group(*runtime, name, from);
  if (source == nullptr) return COMEX_FAILURE;
  const comex::groups::Group* target = runtime::find_group(*runtime, name, to);
  if (target == nullptr) return COMEX_FAILURE;
  if (n < 0 || (n > 0 && (ranks_from == nullptr || ranks_to == nullptr))) {
    return runtime->reporter().fail({.operation = name},
                                    "it needs n >= 0 ranks, their list and a place for as many");
  }
  std::vector<int> translated;
  for (int i = 0; i < n; ++i) {
    const int rank = ranks_from[i];
    if (!runtime::lpid_of(rank, *source))
      return runtime->reporter().fail({.operation = name}, runtime::no_such_rank(rank, *source, from));
    const int found =
        comex::groups::counterpart({source->targets(), source->endpoints()}, static_cast<std::uint32_t>(rank),
                                   {target->targets(), target->endpoints()});
    translated.push_back(found < 0 ? MPI_UNDEFINED : found);
  }
  std::copy(translated.begin(), translated.end(), ranks_to);
  return COMEX_SUCCESS;
}

int comex_group_translate_world(comex_group_t group, int group_rank, int* world_rank) {
  return runtime::tell_of_target("group_translate_world", group_rank, group, world_rank,
                                 [](const runtime::Runtime&, comex::Lpid lpid) { return lpid; });
}

int comex_host_of(int proc, comex_group_t group, int* host) {
  return runtime::tell_of_target("host_of", proc, group, host,
                                 [](const runtime::Runtime& runtime, comex::Lpid lpid) {
                                   return static_cast<int>(runtime.pointer_domain(lpid));
                                 });
}

int comex_group_compare(comex_group_t a, comex_group_t b, int* result) {
  return ask_both("group_compare", a, b, result, [](const groups::Group& one, const groups::Group& other) {
    return groups::compare(one, other);
  });
}

int comex_group_compare_basic(comex_group_t a, comex_group_t b, int* result) {
  return ask_both("group_compare_basic", a, b, result,
                  [](const groups::Group& one, const groups::Group& other) {
                    return groups::compare(one, other, groups::Detail::basic);
                  });
}

int comex_group_same_context(comex_group_t a, comex_group_t b, int* same) {
  return ask_both("group_same_context", a, b, same, groups::same_context);
}

int comex_group_relation(comex_group_t a, comex_group_t b, int* ident_similar_or_unequal) {
  return ask_both(
      "group_relation", a, b, ident_similar_or_unequal,
      [](const groups::Group& one, const groups::Group& other) { return groups::relation(one, other); });
}

int comex_group_same_endpoint(comex_group_t a, comex_group_t b, int* same) {
  return ask_both("group_same_endpoint", a, b, same, groups::same_endpoint);
}

int comex_failed(comex_group_t handle, int* n, int* ranks) {
  const char* const name = "failed";
  runtime::Runtime* const runtime = runtime::enter(name);
  if (runtime == nullptr || !runtime::has_place(*runtime, name, n)) return COMEX_FAILURE;
  const groups::Group* const group = runtime::find_group(*runtime, name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const bool is_any_dead = runtime->world().failures.epoch() != 0;
  if (is_any_dead) runtime->look_at_failures();
  std::vector<int> found;
  for (std::uint32_t rank = 0; is_any_dead && rank < group->targets().size(); ++rank) {
    if (runtime::has_failed(*runtime, group->targets().lpid(rank))) found.push_back(static_cast<int>(rank));
  }
  // One may have been found after the look: what is sent to it from now on fails.
  if (!found.empty()) runtime->lose_hosts();
  *n = static_cast<int>(found.size());
  if (ranks != nullptr) std::ranges::copy(found, ranks);
  return COMEX_SUCCESS;
}

// Members that know of different deaths propose different lists, which do not meet. Each starts again when it
// learns of one in its list, so that all come to the same list in the end.
int comex_group_shrink(comex_group_t handle, comex_group_t* smaller) {
  const char* const name = "group_shrink";
  runtime::Runtime* const runtime = runtime::enter(name);
  if (runtime == nullptr || !runtime::has_place(*runtime, name, smaller)) return COMEX_FAILURE;
  const groups::Group* const group = runtime::enter_group(*runtime, name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, handle);
  if (const std::string why = worlds::why_two_sided(*group, handle); !why.empty())
    return runtime->reporter().fail({.operation = name}, why);
  for (;;) {
    const std::vector<std::uint32_t> ranks = living_ranks(*runtime, group->members());
    const std::vector<Lpid> lpids = group->members().lpids(ranks);
    const worlds::ProposedGroup living{.lpids = lpids,
                                       .endpoints = group->endpoints().subset(ranks),
                                       .bridge = group->bridge(),
                                       .waits_for_all = true};
    switch (worlds::try_to_create_group(*runtime, name, living, group->my_endpoint(), smaller)) {
      case worlds::Created::yes:
        return COMEX_SUCCESS;
      case worlds::Created::member_died:
        continue;
      case worlds::Created::bridge_is_lost:
        return runtime->reporter().fail({.operation = name}, runtime->why_lost(group->bridge()));
      case worlds::Created::no:
        return COMEX_FAILURE;
    }
  }
}
