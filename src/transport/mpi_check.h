// Handles a failed MPI call: it prints one clear line and ends the job.
//
// The wire returns its errors (MPI_ERRORS_RETURN). Every call goes through a check, which passes a failure
// with the call's name and MPI's error text to the owner's handler. The handler does not return. Used by
// MpiTransport and MpiCollective.
#pragma once

#include <mpi.h>

#include <functional>

#include "core/status.h"

namespace comex::transport {

using MpiFailureHandler = std::function<void(const Failure&)>;

class MpiCheck {
 public:
  explicit MpiCheck(MpiFailureHandler on_failure) : on_failure_(std::move(on_failure)) {}

  void operator()(int code, const char* call) const {
    if (code != MPI_SUCCESS) [[unlikely]] {
      fail(code, call);
    }
  }

  // From here on, calls on this communicator return errors as codes.
  void let_errors_return(MPI_Comm wire) const;

 private:
  [[noreturn]] void fail(int code, const char* call) const;

  MpiFailureHandler on_failure_;
};

}  // namespace comex::transport
