// The checker of this process, and how the library is switched on.
#pragma once

#include "checked/checker.h"
#include "core/settings.h"

namespace comex::checker {

// Null: before init, after finalize, on a progress rank, and where COMEX_CHECK is 0.
Checker* checker();

// Around comex_init. The runtime asks by comex_checker_attached whether it is called through this library.
class InitScope {
 public:
  InitScope();
  ~InitScope();
  InitScope(const InitScope&) = delete;
  InitScope& operator=(const InitScope&) = delete;
  void opened() const;  // a worker is back
};

// The runtime's settings, as the environment of this process has them.
const Settings& settings();

// Ends the checker; the runtime still runs.
void close(const FollowedCall& call);

}  // namespace comex::checker
