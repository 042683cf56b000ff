// The calls for programs that go on without dead workers.
#include <comex/comex.h>

#include <algorithm>
#include <vector>

#include "runtime/call.h"

using namespace comex;

int comex_failed(comex_group_t handle, int* n, int* ranks) {
  const char* const name = "failed";
  runtime::Runtime* const runtime = runtime::enter(name);
  if (runtime == nullptr || !runtime::has_place(*runtime, name, n)) return COMEX_FAILURE;
  const groups::Group* const group = runtime::find_group(*runtime, name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const groups::Failures& failures = runtime->world().failures;
  std::vector<int> found;
  for (std::uint32_t rank = 0; failures.epoch() != 0 && rank < group->targets().size(); ++rank) {
    const Lpid lpid = group->targets().lpid(rank);
    const bool has_failed =
        runtime->is_own(lpid) && failures.of(static_cast<Worker>(lpid)) != groups::WorkerState::alive;
    if (has_failed) found.push_back(static_cast<int>(rank));
  }
  *n = static_cast<int>(found.size());
  if (ranks != nullptr) std::ranges::copy(found, ranks);
  return COMEX_SUCCESS;
}
