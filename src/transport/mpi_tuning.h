// Changes a setting of the MPI library, if the library allows it.
//
// Open MPI may yield the processor in every MPI_Test when there are more ranks than cores. Beside computing
// processes, each yield costs a whole time slice. The runtime's own waits decide when to yield, so runtime
// turns the setting off after MPI_Init, and on again before a rank returns to the user for good.
#pragma once

#include <optional>
#include <string>

namespace comex::transport {

// Returns the previous value; none if this MPI has no such setting.
std::optional<bool> set_mpi_yield_when_idle(bool yields);

// Sets it until the end of the scope, then restores it.
class YieldsInMpi {
 public:
  explicit YieldsInMpi(bool yields) : before_(set_mpi_yield_when_idle(yields)) {}
  YieldsInMpi(const YieldsInMpi&) = delete;
  YieldsInMpi& operator=(const YieldsInMpi&) = delete;
  ~YieldsInMpi() {
    if (before_) static_cast<void>(set_mpi_yield_when_idle(*before_));
  }

 private:
  std::optional<bool> before_;
};

// Turns it off until the end of the scope, then restores it. This is for the polls of a process whose own
// waits and MPI calls decide when to yield. It costs two short calls.
class MpiYieldSwitch {
 public:
  MpiYieldSwitch();

  class Off {
   public:
    explicit Off(const MpiYieldSwitch& yield)
        : change_(yield.change_), before_(change_ != nullptr && change_(false)) {}
    ~Off() {
      if (before_) change_(true);
    }
    Off(const Off&) = delete;
    Off& operator=(const Off&) = delete;

   private:
    bool (*change_)(bool);
    bool before_;
  };

 private:
  bool (*change_)(bool) = nullptr;
};

// For the banner: describes what the call that turned it off has done.
std::string describe_mpi_yield(std::optional<bool> before);

}  // namespace comex::transport
