// The loop of a measurement: rounds, in each of which every row's contenders take turns.
#pragma once

#include <vector>

#include "rig.h"
#include "row.h"

namespace comex::bench {

// Collective. Interleaved, so that what disturbs the machine disturbs all of a row alike.
void measure(std::vector<Row>& rows, const Rig& rig, int rounds);

}  // namespace comex::bench
