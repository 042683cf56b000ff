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

struct KeptShapes {  // of all parts
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint32_t> homes;  // members
  std::uint32_t copies = 0;
};
// Collective. Registers what it makes, under `id`, and returns the code of the call.
int make_kept_over(runtime::Runtime& runtime, const char* name, int handle, const groups::Group& group,
                   KeptShapes shapes, std::shared_ptr<runtime::KeptAllocation>& made, std::uint64_t& id);

}  // namespace comex::calls
