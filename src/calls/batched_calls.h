// Adds small non-blocking operations for another host to a batch, without making the larger Operation.
//
// Each function returns false for what needs the long way, which then also says what is wrong. Used by the
// calls, after PlainTarget.
#pragma once

#include "calls/carry_out.h"
#include "runtime/process.h"

namespace comex::calls {

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
