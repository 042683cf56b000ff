#include "transport/mpi_tuning.h"

#include <dlfcn.h>

namespace comex::transport {

std::optional<bool> set_mpi_yield_when_idle(bool yields) {
  // Looked up at run time: another MPI, or another Open MPI, may not have it.
  using Switch = bool (*)(bool);
  const auto change = reinterpret_cast<Switch>(dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle"));
  if (change == nullptr) return std::nullopt;
  return change(yields);
}

std::string describe_mpi_yield(std::optional<bool> before) {
  if (!before) return "MPI's yield when idle: no switch in this MPI library";
  return *before ? "MPI's yield when idle: switched off" : "MPI's yield when idle: was off already";
}

}  // namespace comex::transport
