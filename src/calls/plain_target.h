// Finds the target of a small operation that a check and a few loads and stores can serve.
//
// It is true if the runtime is open and `proc` is a worker of the world whose memory is plain: on this host
// and directly reached. All other operations, and those that fail a check, take the long way, which also
// reports what is wrong. Used first in the calls; everything is inline, nothing waits.
#pragma once

#include <comex/comex.h>

#include "runtime/process.h"

namespace comex::calls {

class PlainTarget {
 public:
  PlainTarget(int proc, comex_group_t group)
      : runtime_(runtime::at_once()), target_(static_cast<Worker>(proc)) {
    if (runtime_ == nullptr || group != COMEX_GROUP_WORLD || target_ >= runtime_->size()) return;
    const groups::WorkerPlace& place = runtime_->place(target_);
    if (runtime_->router().is_plain(place)) place_ = &place;
  }
  PlainTarget(const PlainTarget&) = delete;
  PlainTarget& operator=(const PlainTarget&) = delete;
  ~PlainTarget() {
    if (event_ != 0) [[unlikely]]
      runtime_->activity().end_event(event_);
  }
  explicit operator bool() const { return place_ != nullptr; }

  runtime::Runtime& runtime() const { return *runtime_; }
  const op::Direct& direct() const { return runtime_->direct(); }
  const groups::WorkerPlace& place() const { return *place_; }
  Worker target() const { return target_; }
  // Call it before the check; refused operations are counted too.
  void count(activity::Kind kind, std::uint64_t bytes) {
    constexpr std::uint64_t least_timed = 1024;  // a shorter copy takes less time than looking at the clock
    event_ = runtime_->activity().count_near(kind, place().slot, bytes, least_timed);
  }

 private:
  runtime::Runtime* runtime_;
  Worker target_;
  const groups::WorkerPlace* place_ = nullptr;
  std::uint32_t event_ = 0;  // of the trace
};

}  // namespace comex::calls
