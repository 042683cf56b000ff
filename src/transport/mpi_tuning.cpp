#include "transport/mpi_tuning.h"

#include "transport/mpi_library.h"

namespace comex::transport {

namespace {

using Switch = bool(bool);

Switch* find_switch() {
  return in_mpi<Switch>("opal_progress_set_yield_when_idle");
}

}  // namespace

MpiYieldSwitch::MpiYieldSwitch() : change_(find_switch()) {}

std::optional<bool> set_mpi_yield_when_idle(bool yields) {
  Switch* const change = find_switch();
  if (change == nullptr) return std::nullopt;
  return change(yields);
}

std::string describe_mpi_yield(std::optional<bool> before) {
  if (!before) return "MPI's yield when idle: no switch in this MPI library";
  return *before ? "MPI's yield when idle: switched off" : "MPI's yield when idle: was off already";
}

}  // namespace comex::transport
