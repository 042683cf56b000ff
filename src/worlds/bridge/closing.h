// The order in which a worker closes its end of a bridge, and what is left of it when a world on it is lost.
//
//   fence   what it has under way has taken effect, also at the target          (it asks to close)
//   meet    all others have come so far: nobody will start anything any more    (they acknowledge)
//   leave   every server is told that this worker will ask for nothing more; when it leaves alone, those of
//           its world and the one that serves it
//   serve   the server that this worker runs has been told the same by all others
//   part    the wire is let go together with them
//   forget  instead of parting, where there is nobody to part from: the wire is dropped
//
// A step waits for the others at most until one of their worlds is lost; from then on nobody is waited for.
// Who leaves alone, as it has no group on the bridge any more while others have, meets nobody and parts from
// nobody; nor does who finalizes without disconnecting, whose end is told otherwise. Pure; used by
// bridge.cpp, which performs the steps.
#pragma once

#include "core/protocol.h"

namespace comex::worlds {

enum class ClosingStep : unsigned char { fence, meet, leave, serve, part, forget, done };

class Closing {
 public:
  using Leaving = protocol::Leaving;

  Closing(Leaving how, bool is_whole)
      : how_(how), step_(is_whole ? ClosingStep::fence : ClosingStep::forget) {}

  ClosingStep step() const { return step_; }
  // The step has been performed; `is_whole`: no world on the bridge has been lost by now.
  void next(bool is_whole) { step_ = after(is_whole); }

 private:
  ClosingStep after(bool is_whole) const {
    switch (step_) {
      case ClosingStep::part:  // together with all others: it has happened
      case ClosingStep::forget:
      case ClosingStep::done:
        return ClosingStep::done;
      default:
        break;
    }
    if (!is_whole) return ClosingStep::forget;
    switch (step_) {
      case ClosingStep::fence:
        return how_ == Leaving::together ? ClosingStep::meet : ClosingStep::leave;
      case ClosingStep::meet:
        return ClosingStep::leave;
      case ClosingStep::leave:
        return how_ == Leaving::together ? ClosingStep::serve : ClosingStep::forget;
      case ClosingStep::serve:
        return ClosingStep::part;
      default:
        return ClosingStep::forget;
    }
  }

  Leaving how_;
  ClosingStep step_;
};

}  // namespace comex::worlds
