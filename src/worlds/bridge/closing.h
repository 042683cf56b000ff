// The steps by which a worker closes its end of a bridge, and those that remain when a world on it is lost.
//
//   fence   all of its operations have taken effect at their targets             (it asks to close)
//   meet    all others have come so far; nobody starts anything any more          (they acknowledge)
//   leave   every server has been told that this worker asks for nothing more; a worker that leaves alone
//           tells only those of its world and the one that serves it
//   serve   all others have told the same to the server that this worker runs
//   part    all let the wire go together
//   forget  instead of part, if there is nobody to part from: the wire is dropped
//
// A step waits for the others until one of their worlds is lost; from then on it waits for nobody. A worker
// leaves alone if it has no group on the bridge any more while others have; it meets nobody and parts from
// nobody. The same is true of a worker that finalizes without disconnecting, whose end is told in another
// way. Pure; bridge.cpp performs the steps.
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
  // The step has been performed. `is_whole`: no world on the bridge is lost so far.
  void next(bool is_whole) { step_ = after(is_whole); }

 private:
  ClosingStep after(bool is_whole) const {
    switch (step_) {
      case ClosingStep::part:  // it has parted, together with all others
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
      default:
        return ClosingStep::part;  // after serve
    }
  }

  Leaving how_;
  ClosingStep step_;
};

}  // namespace comex::worlds
