// What malloc_kept and recover share: making kept memory over a group.
#pragma once

#include <memory>

#include "runtime/call.h"
#include "runtime/kept/allocation.h"

namespace comex::calls {

// Collective; `made` says what is wanted, as for make_kept, and the id is chosen here. Registers what it
// makes, and returns the code of the call. Where a member dies meanwhile, others may have all of it: what was
// made here stays registered then.
int make_kept_over(runtime::Runtime& runtime, runtime::KeptOptions options,
                   const std::shared_ptr<runtime::KeptAllocation>& made);

}  // namespace comex::calls
