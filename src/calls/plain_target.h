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
    is_plain_ = runtime_ != nullptr && group == COMEX_GROUP_WORLD && target_ < runtime_->size() &&
                runtime_->router().is_plain(target_);
  }
  explicit operator bool() const { return is_plain_; }

  runtime::Runtime& runtime() const { return *runtime_; }
  const op::Direct& direct() const { return runtime_->direct(); }
  const groups::WorkerPlace& place() const { return runtime_->place(target_); }
  Worker target() const { return target_; }

 private:
  runtime::Runtime* runtime_;
  Worker target_;
  bool is_plain_;
};

}  // namespace comex::calls
