// Why shared memory did not suffice: the limit that was met, numbers that add up, and the error line.
//
// Arena and Extents grant their pages through extend_or_tell, so that every refusal is judged alike.
#pragma once

#include <cstdint>
#include <string>

#include "core/status.h"
#include "shm/os.h"

namespace comex::shm {

struct OutOfMemory {
  std::uint64_t free_bytes = 0;
  Limit limit = Limit::reservation;
  std::string where;                // the mount or cgroup
  std::string call;                 // the system's refusal, if it was asked
  std::uint64_t others_bytes = 0;   // what others of the host are committing at present
  std::uint64_t records_bytes = 0;  // wanted for records and table, besides the extent
};

// The limit that [offset, offset + bytes) of an object meets first; nothing is short if free_bytes suffices.
OutOfMemory out_of_memory_in(const MemoryLimits& limits, std::uint64_t offset, std::uint64_t bytes);

// The limit behind a refusal of Os::extend. Call it after giving back what was granted for the same purpose.
OutOfMemory out_of_memory_met(Os& os, const Object& object, std::uint64_t offset, std::uint64_t bytes,
                              const Failure& refusal);

// Like Os::extend; when it returns false, `out_of_memory` has the reason.
bool extend_or_tell(Os& os, const Object& object, std::uint64_t offset, std::uint64_t bytes,
                    OutOfMemory& out_of_memory);

// `holders` says who holds how much; it may be empty.
Failure not_enough(const std::string& whom, std::uint64_t bytes, const OutOfMemory& out_of_memory,
                   const std::string& holders);

}  // namespace comex::shm
