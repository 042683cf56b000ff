// What is measured: a row is one piece of work, done by the runtime and by the floors beside it.
//
// `once` does the work some thousand times and gives nanoseconds for one; all workers call it, in the
// same order, and worker 0's figure counts. `verify` looks at what the runtime's part left behind, on
// every worker. The makers of rows (near_rows.cpp, meeting_rows.cpp, far_rows.cpp) keep their state alive.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "samples.h"

namespace comex::bench {

struct Contender {
  std::string name;
  std::function<double()> once;
  Samples nanoseconds;
};

struct Row {
  std::string name;
  std::vector<Contender> contenders;  // the runtime first, then the floors
  std::function<bool()> verify;
  std::size_t bytes = 0;  // of one operation, where its bandwidth is worth a column
  bool is_verified = true;
};

}  // namespace comex::bench
