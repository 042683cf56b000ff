// The short paths of small operations: served by a check and a few loads and stores, or, if they do not block
// and go to another host, added to a batch without making the larger Operation.
//
// All other operations, and those that fail a check, take the long way, which also reports what is wrong.
// Used first in the calls; everything is inline, nothing waits.
#pragma once

#include "calls/carry_out.h"
#include "runtime/process.h"

namespace comex::calls {

// The target of an operation. True if the runtime is open and `proc` is a worker of the world whose memory is
// plain: on this host and directly reached.
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

// What follows is for batches, after PlainTarget, and returns false for what needs the long way.

// Returns the runtime if the target is a worker of its world that is reached through a server, else null.
inline runtime::Runtime* behind_server(activity::Kind kind, const void* near, const void* far_address,
                                       int proc, comex_group_t group) {
  runtime::Runtime* const runtime = runtime::at_once_to_batch();
  const auto target = static_cast<Worker>(proc);
  const bool is_plain = runtime != nullptr && group == COMEX_GROUP_WORLD && target < runtime->size() &&
                        near != nullptr && far_address != nullptr;
  return is_plain && !runtime->router().is_direct(kind, target) ? runtime : nullptr;
}

// Calls append(remote, remote target), and counts the operation where that has taken it.
template <class Append>
inline bool appended(runtime::Runtime& runtime, activity::Kind kind, const Call& call, std::uint64_t bytes,
                     const Append& append) {
  const auto target = static_cast<Worker>(call.proc);
  if (!runtime.append({call.name, call.proc}, target, append)) return false;
  runtime.count(kind, runtime.place(target), bytes);
  return true;
}

// The same for operations with an answer; calls append(remote, remote target, completion).
template <class Append>
inline bool appended_and_awaited(runtime::Runtime& runtime, activity::Kind kind, const Call& call,
                                 std::uint64_t bytes, comex_request_t* handle, const Append& append) {
  const auto with_completion = [&](op::Remote& remote, const op::RemoteTarget& far) {
    if (handle == nullptr) return append(remote, far, runtime.implicit().of(static_cast<Lpid>(call.proc)));
    const int issued = runtime.handles().issue();
    if (issued == 0) return false;
    nb::Completion& completion = *runtime.handles().find(issued);
    const bool is_taken = append(remote, far, completion);
    completion.complete();  // completes the part with which issue() began
    if (!is_taken) return false;
    runtime.note_handle(issued, {call.name, call.proc, far.server});
    *handle = issued;
    return true;
  };
  return appended(runtime, kind, call, bytes, with_completion);
}

}  // namespace comex::calls
