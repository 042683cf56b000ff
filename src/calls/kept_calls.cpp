// The calls for memory that outlives the loss of a host: malloc_kept and keep. recover_call.cpp has recover.
#include <algorithm>
#include <memory>
#include <string>

#include "runtime/allocating.h"
#include "runtime/kept/allocation.h"

namespace comex::calls {
namespace {

struct KeptShape {  // what a member asks for
  std::uint64_t bytes = 0;
  std::int64_t copies = 0;
};

std::string why_not(const runtime::Runtime& runtime, void** ptrs, int copies, const groups::Group& group,
                    int handle) {
  if (ptrs == nullptr) return "the array of addresses is null";
  constexpr auto most = static_cast<int>(shm::MirroredPart::most_copies);
  if (copies < 1 || copies > most) {
    return std::to_string(copies) + " copies are asked for; 1 to " + std::to_string(most) + " are possible";
  }
  const std::uint32_t hosts = runtime::count_hosts(runtime::hosts_of(runtime, group));
  if (hosts > static_cast<std::uint32_t>(copies)) return {};
  return std::to_string(copies) + " copies beside the memory take " + std::to_string(copies + 1) +
         " hosts, and group " + std::to_string(handle) + " has " + std::to_string(hosts);
}

}  // namespace

}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_malloc_kept(void** ptrs, size_t bytes, int copies, comex_group_t handle) {
  const char* const name = "malloc_kept";
  const auto [runtime, group] = runtime::enter_group(name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, handle);
  if (const std::string why = runtime::why_not_kept(*runtime, *group, handle); !why.empty())
    return runtime::fail_together(*runtime, {.operation = name}, group->my_rank() == 0, why);
  const std::string why = why_not(*runtime, ptrs, copies, *group, handle);
  const auto word =
      why.empty() ? runtime::AllocationWord::allocated(nullptr) : runtime::AllocationWord::not_allocated();
  const runtime::AllocationVerdict verdict = runtime::exchange_words(*runtime, handle, word).verdict;
  int code = runtime::check_all_live(*runtime, name, *group, handle);
  if (code != COMEX_SUCCESS) return code;
  const auto me = static_cast<std::size_t>(group->my_rank());
  if (const auto odd = verdict.odd_one()) return runtime::fail_apart(*runtime, {.operation = name}, *odd, me);
  if (const auto failed = verdict.failed())
    return runtime::fail_together(*runtime, {.operation = name}, *failed == me, why);

  const auto shapes = runtime->gather(handle, KeptShape{bytes, copies});
  code = runtime::check_all_live(*runtime, name, *group, handle);
  if (code != COMEX_SUCCESS) return code;
  const auto other = std::ranges::find_if(
      shapes, [&](const KeptShape& each) { return each.copies != shapes.front().copies; });
  if (other != shapes.end()) {
    const bool is_mine = static_cast<std::size_t>(other - shapes.begin()) == me;
    return runtime::fail_together(*runtime, {.operation = name}, is_mine,
                                  std::to_string(copies) + " copies are asked for here and " +
                                      std::to_string(shapes.front().copies) + " by rank 0 of the group");
  }
  runtime::KeptOptions options{.call = name, .handle = handle, .group = *group};
  const auto made = std::make_shared<runtime::KeptAllocation>();
  made->wanted_copies = static_cast<std::uint32_t>(copies);
  for (const KeptShape& each : shapes) {
    options.homes.push_back(static_cast<std::uint32_t>(options.homes.size()));
    made->bytes.push_back(each.bytes);
  }
  code = runtime::make_kept(*runtime, std::move(options), made);
  if (code != COMEX_SUCCESS) return code;
  made->is_whole = true;
  std::ranges::copy(made->parts, ptrs);
  return code;
}

int comex_keep(void* ptr) {
  const char* const name = "keep";
  runtime::Runtime* const runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  shm::Arena& arena = *runtime->world().arena;
  shm::Extent part;
  const bool is_own = ptr != nullptr && arena.holds(ptr) &&
                      arena.extents().covering(arena.offset_of(ptr), part) &&
                      part.offset == arena.offset_of(ptr) && part.owner == runtime->me();
  if (!is_own || !arena.extents().note_written(part.offset, part.bytes)) {
    return runtime->reporter().fail({name, {}, ptr},
                                    "the address is not that of a part of kept memory of this process");
  }
  runtime->send_to_mirrors(name);
  return COMEX_SUCCESS;
}
