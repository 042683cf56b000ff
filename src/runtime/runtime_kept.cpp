// What fences do for the mirrors of kept memory that this worker wrote to directly.
#include "runtime/runtime.h"

namespace comex::runtime {

void Runtime::send_to_mirrors(const char* call) {
  nb::Completion completion;
  start_at_once([&] { start_fences_with_mirrors(completion); });
  wait(completion, {call});
}

// A part's mirrors are its owner's progress rank's, and hosts have few.
void Runtime::start_fences_with_mirrors(nb::Completion& completion) {
  for (const int rank : world_->own_host().progress_ranks)
    remote_.start_fence_with_mirrors({.world = world_->id, .server = rank}, completion);
}

std::uint64_t Runtime::fence_kept_writes(nb::Completion& completion) {
  const std::uint64_t writes = direct_.kept_writes();
  if (writes != fenced_kept_writes_.load(std::memory_order_acquire)) start_fences_with_mirrors(completion);
  return writes;
}

void Runtime::kept_writes_are_fenced(std::uint64_t writes) {
  std::uint64_t known = fenced_kept_writes_.load(std::memory_order_relaxed);
  while (known < writes && !fenced_kept_writes_.compare_exchange_weak(known, writes)) {
  }
}

}  // namespace comex::runtime
