// Why shared memory did not fit: the limit that ended it, numbers that add up, and the line that says so.
//
// Pages that an arena has granted are granted here, so that every refusal is judged in the same way.
// Called by Arena and Extents.
#pragma once

#include <cstdint>
#include <string>

#include "core/status.h"
#include "shm/os.h"

namespace comex::shm {

struct OutOfMemory {
  std::uint64_t free_bytes = 0;
  Limit limit = Limit::reservation;
  std::string where;                // the mount or cgroup meant
  std::string call;                 // what the system said, when it was asked
  std::uint64_t others_bytes = 0;   // what others of the host are having granted just now
  std::uint64_t records_bytes = 0;  // wanted for the books of the extent, besides the extent
};

// What [offset, offset + bytes) of an object meets first; nothing is short if free_bytes holds it.
OutOfMemory out_of_memory_in(const MemoryLimits& room, std::uint64_t offset, std::uint64_t bytes);

// What a refusal of Os::extend met; to be asked when what was granted for the same end is given back.
OutOfMemory out_of_memory_met(Os& os, const Object& object, std::uint64_t offset, std::uint64_t bytes,
                              const Failure& refusal);

// As Os::extend; false: `why` says why not.
bool extend_or_tell(Os& os, const Object& object, std::uint64_t offset, std::uint64_t bytes,
                    OutOfMemory& out_of_memory);

// `holders`, who has how much, may be empty.
Failure not_enough(const std::string& whom, std::uint64_t bytes, const OutOfMemory& out_of_memory,
                   const std::string& holders);

}  // namespace comex::shm
