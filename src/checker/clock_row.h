// A row of clocks in memory that the checker shares between the workers.
#pragma once

#include <cstddef>

namespace comex::checker {

struct ClockRow {
  int owner = 0;
  std::size_t index = 0;
};

}  // namespace comex::checker
