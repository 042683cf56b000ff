// Changes whether the MPI library yields the processor in calls that find nothing, if the library allows it.
//
// Open MPI may yield in every MPI_Test when there are more ranks than cores. Beside computing processes, each
// yield costs a whole time slice. The runtime's own waits decide when to yield, so runtime turns the setting
// off while it serves and polls, and restores it before a rank returns to the user.
#pragma once

namespace comex::mpi {

// The library's switch: sets whether it yields, and returns the previous value. Null: there is none.
struct YieldSwitch {
  bool (*change)(bool yields) = nullptr;
};

// Sets it until the end of the scope, then restores it. It costs two short calls.
class YieldScope {
 public:
  YieldScope(YieldSwitch yield, bool yields)
      : change_(yield.change), before_(change_ != nullptr ? change_(yields) : yields), yields_(yields) {}
  YieldScope(const YieldScope&) = delete;
  YieldScope& operator=(const YieldScope&) = delete;
  ~YieldScope() {
    if (before_ != yields_) change_(before_);
  }

 private:
  bool (*change_)(bool);
  bool before_;
  bool yields_;
};

}  // namespace comex::mpi
