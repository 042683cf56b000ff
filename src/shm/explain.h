// Words what a bounds check found, with the nearest segment: the second half of an error line.
#pragma once

#include <cstdint>
#include <string>

#include "shm/extents.h"

namespace comex::shm {

// `base` is the arena's address in the owner's address space, so that the text shows addresses the
// program knows. Takes the extents' lock.
std::string explain(Extents& extents, Verdict verdict, Worker target, std::uint64_t offset,
                    std::uint64_t bytes, std::uint64_t base);

}  // namespace comex::shm
