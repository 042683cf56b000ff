// COMEX_TRACE: writes what all ranks of a world have logged into one file, at finalize.
#pragma once

#include "runtime/opening/world.h"
#include "runtime/report.h"

namespace comex::runtime {

// Collective over the wire, when nobody has anything to do any more. Each rank writes FILE.WORLD-RANK, worker
// 0 joins them in FILE and removes them. Those of machines with another file system stay there, with a line.
// Nothing without COMEX_TRACE.
void write_trace(World& world, const Reporter& reporter);

}  // namespace comex::runtime
