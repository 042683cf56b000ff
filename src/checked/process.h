// The checker of this process, and how the library is switched on.
#pragma once

#include "checked/checker.h"
#include "core/settings.h"

namespace comex::checker {

// Null: before init, after finalize, on a progress rank, and where rank 0 has COMEX_CHECK=0.
Checker* checker();

// Around comex_init. The runtime asks by comex_checker_attached whether it is called through this library.
void begin_init();
// is_open: a worker is back, with a world over `all`.
void end_init(bool is_open, MPI_Comm all);

// Ends the checker; the runtime still runs. False: finalize has to tell of a refusal.
bool close(const FollowedCall& call);

}  // namespace comex::checker
