// The checker of this process, and how the library is switched on.
#pragma once

#include "checked/checker.h"
#include "core/settings.h"

namespace comex::checker {

// Null: before init, after finalize, on a progress rank, and where rank 0 has COMEX_CHECK=0.
Checker* checker();

// Around comex_init. The runtime asks by comex_checker_attached whether it is called through this library.
class InitScope {
 public:
  InitScope();
  ~InitScope();
  InitScope(const InitScope&) = delete;
  InitScope& operator=(const InitScope&) = delete;
  void opened(MPI_Comm all) const;  // a worker is back from an init over `all`
};

// Ends the checker; the runtime still runs. False: finalize has to tell of a refusal.
bool close(const FollowedCall& call);

}  // namespace comex::checker
