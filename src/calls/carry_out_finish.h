// The template of carry_out.h: the one place where blocking, handled and implicit completion differ.
#pragma once

#include "calls/carry_out.h"
#include "runtime/call.h"

namespace comex::calls {

template <class Begin>
int finish_remote(runtime::Runtime& runtime, op::Remote& to, const op::WaitReason& reason,
                  const Finish& finish, Begin&& begin, const op::RemoteTarget* small_to) {
  switch (finish.kind) {
    case Finish::Kind::blocking: {
      nb::Completion completion;
      runtime.start_at_once([&] { begin(completion); });
      runtime.wait(completion, reason);
      if (!completion.take_failure()) return COMEX_SUCCESS;
      return runtime::failed_on_the_way(runtime, runtime.is_lost(reason.target));
    }
    case Finish::Kind::implicit:
      runtime.start(
          to, reason, [&] { begin(runtime.implicit().of(reason.target)); }, small_to);
      return COMEX_SUCCESS;
    case Finish::Kind::handle:
      break;
  }
  int issued = 0;
  const auto begin_with_handle = [&] {
    issued = runtime.handles().issue();
    if (issued == 0) return;
    nb::Completion& completion = *runtime.handles().find(issued);
    begin(completion);
    completion.complete();  // completes the part with which issue() began
    runtime.note_handle(issued, reason);
  };
  runtime.start(to, reason, begin_with_handle, small_to);
  if (issued == 0) {
    return runtime.reporter().fail(runtime.context(reason.operation, reason.target, reason.named),
                                   "no handle is free");
  }
  *finish.handle = issued;
  return COMEX_SUCCESS;
}

}  // namespace comex::calls
