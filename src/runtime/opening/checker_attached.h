// Whether the checker that COMEX_CHECK asks for stands in front of the calls that the program makes.
#pragma once

#include "core/settings.h"
#include "core/status.h"
#include "mpi/symbols.h"

namespace comex::runtime {

inline Status check_attached(CheckMode wanted, OnFailure on_failure) {
  if (wanted == CheckMode::off) return {};
  if (on_failure != OnFailure::abort)
    return environment_error(
        "COMEX_CHECK and COMEX_ON_FAILURE=continue do not go together: the checker waits for all");
  auto* const attached = mpi::function_named<int()>("comex_checker_attached");
  if (attached != nullptr && attached() != 0) return {};
  return environment_error(
      "COMEX_CHECK is set, and no checker sees the program's calls: start it by comexrun --check or with "
      "libcomex_check.so in LD_PRELOAD, linked with the shared library of comex");
}

}  // namespace comex::runtime
