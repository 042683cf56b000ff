// What we change in the MPI library itself, where it lets us.
//
// Open MPI may yield the processor in every MPI_Test once there are more ranks than cores; beside
// computing processes each yield costs a whole time slice. Our own waits decide when to yield, so
// runtime switches it off after MPI_Init, and back before a rank returns to the user for good.
#pragma once

#include <optional>
#include <string>

namespace comex::transport {

// What the setting was before; nothing when this MPI has no such switch.
std::optional<bool> set_mpi_yield_when_idle(bool yields);

// Set so from here to the end of the scope, then as it was.
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

// Off from here to the end of the scope, then as it was: for the polls of a process whose own waits, and
// whose program's MPI calls, decide for themselves when to yield. Two short calls.
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

// For the banner: what the call that switched it off has done.
std::string describe_mpi_yield(std::optional<bool> before);

}  // namespace comex::transport
