// Counts the outstanding parts of one handle, one blocking call or one implicit set.
//
// Parts are added and completed under the engine lock; any thread may read done() and failed(). When
// complete() drops the count to zero, that is its last access, so a waiter that owns the object may then
// destroy it. A failure is reported once. Made by runtime (stack, handle table, implicit set), completed by
// op.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/status.h"

namespace comex::nb {

enum class OperationError : std::uint8_t {
  none,
  reported,   // a line has been printed; the call returns an error
  host_lost,  // the host of the target is lost; some parts may have failed for another reason
};

class Completion {
 public:
  // Release order: a thread that reads the new count also sees earlier writes. HandleTable relies on that.
  void add(std::uint32_t parts = 1) { pending_.fetch_add(parts, std::memory_order_release); }

  void complete(std::uint32_t parts = 1) {
    COMEX_BUG_IF(pending_.fetch_sub(parts, std::memory_order_release) < parts);
  }

  // Call it before the complete() of the part that failed.
  void fail(OperationError why = OperationError::reported) {
    if (failure() != OperationError::host_lost) failure_.store(why, std::memory_order_relaxed);
  }

  bool done() const { return pending_.load(std::memory_order_acquire) == 0; }
  bool failed() const { return failure() != OperationError::none; }
  OperationError take_failure() { return failure_.exchange(OperationError::none, std::memory_order_relaxed); }

 private:
  OperationError failure() const { return failure_.load(std::memory_order_relaxed); }

  std::atomic<std::uint32_t> pending_{0};
  std::atomic<OperationError> failure_{OperationError::none};
};

}  // namespace comex::nb
