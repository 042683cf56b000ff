// The mutexes of other hosts that this worker holds, so that it can release one without asking the server.
//
// There are few at a time. Callers hold the engine lock. Owned by Runtime, used by mutex_calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/ids.h"

namespace comex::runtime {

struct RemoteMutex {
  Worker owner = 0;
  std::uint64_t index = 0;
  std::uint32_t endpoint = 0;  // of this worker; 0: none

  bool operator==(const RemoteMutex&) const = default;
};

class HeldMutexes {
 public:
  void note(const RemoteMutex& mutex) { held_.push_back(mutex); }
  // Returns false if the mutex is not held, as far as this process knows.
  bool take(const RemoteMutex& mutex) {
    const auto found = std::ranges::find(held_, mutex);
    if (found == held_.end()) return false;
    *found = held_.back();
    held_.pop_back();
    return true;
  }
  void clear() { held_.clear(); }

 private:
  std::vector<RemoteMutex> held_;
};

}  // namespace comex::runtime
