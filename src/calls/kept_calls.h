// What malloc_kept and recover share: making kept memory over a group, and failing on all members.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/call.h"
#include "runtime/kept/allocation.h"

namespace comex::calls {

// For an error that all members know of; one of them reports it.
int fail_together(runtime::Runtime& runtime, const char* name, bool is_mine, const std::string& why);

struct KeptShapes {
  std::vector<std::uint64_t> bytes;  // of all parts
  std::vector<std::uint32_t> homes;  // members
  std::uint32_t copies = 0;
  std::uint64_t root = 0;        // of the memory that is recovered; 0: there is none
  std::uint32_t recoveries = 0;  // of which this is the last
};
// Collective. Registers what it makes, and returns the code of the call. Where a member dies meanwhile,
// others may have all of it: what was made here stays registered then.
int make_kept_over(runtime::Runtime& runtime, const char* name, int handle, const groups::Group& group,
                   KeptShapes shapes, std::shared_ptr<runtime::KeptAllocation>& made);

}  // namespace comex::calls
