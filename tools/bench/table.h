// The answer as text: a line for each contender, with its ratio to the runtime's own figure.
#pragma once

#include <vector>

#include "row.h"

namespace comex::bench {

void print_table(const std::vector<Row>& rows);

}  // namespace comex::bench
