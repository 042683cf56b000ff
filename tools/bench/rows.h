// Rows of worker 0's own host: small operations beside loads, stores and atomics on the same words.
#pragma once

#include <vector>

#include "rig.h"
#include "row.h"

namespace comex::bench {

std::vector<Row> near_rows(const Rig& rig);
std::vector<Row> meeting_rows(const Rig& rig);  // locks and barriers: all workers take part
std::vector<Row> far_rows(const Rig& rig);      // to the partner on another host; none without one

}  // namespace comex::bench
