// The template of transfer.h: one place where blocking, handled and implicit completion differ.
#pragma once

#include "api/transfer.h"

namespace comex::api {

template <class Begin>
int finish_remote(Runtime& runtime, const op::WaitReason& reason, const Finish& finish, Begin&& begin) {
  const auto target = static_cast<Lpid>(reason.target);
  switch (finish.kind) {
    case Finish::Kind::blocking: {
      nb::Completion completion;
      runtime.start(reason, [&] { begin(completion); });
      runtime.wait(completion, reason);
      return completion.take_failure() ? COMEX_FAILURE : COMEX_SUCCESS;
    }
    case Finish::Kind::implicit:
      runtime.start(reason, [&] { begin(runtime.implicit.of(target)); });
      return COMEX_SUCCESS;
    case Finish::Kind::handle:
      break;
  }
  int issued = 0;
  runtime.start(reason, [&] {
    issued = runtime.handles.issue();
    if (issued == 0) return;
    nb::Completion& completion = *runtime.handles.find(issued);
    begin(completion);
    completion.complete();  // the part that issue() began with
    runtime.note_handle(issued, reason);
  });
  if (issued == 0) return runtime.reporter.fail({reason.operation, reason.target}, "no handle is free");
  *finish.handle = issued;
  return COMEX_SUCCESS;
}

}  // namespace comex::api
