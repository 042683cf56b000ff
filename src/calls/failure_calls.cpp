// The calls for programs that go on without dead workers.
#include <comex/comex.h>

#include <algorithm>
#include <vector>

#include "runtime/call.h"
#include "worlds/agreement/agree.h"
#include "worlds/agreement/create_group.h"

namespace comex::calls {
namespace {

std::vector<std::uint32_t> living_ranks(const runtime::Runtime& runtime,
                                        const groups::ConnectionTable& members) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
    if (!runtime::has_failed(runtime, members.lpid(rank))) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

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
