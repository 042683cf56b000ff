// A row of the table: its name, what it needs, and how it is measured. Every worker runs every row.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rig.h"

namespace bench {

struct Answer {
  double value = 0;
  bool is_right = false;
};

struct Row {
  std::string name;
  const char* unit;  // ns (of one operation), percent or share
  Need need;
  std::function<Answer(Rig&)> run;
};

using Rows = std::vector<Row>;

// Worker 0's figure; right only if every worker found its part so.
inline Answer answer(Rig& rig, double value, bool is_right) {
  return {value, rig.rt.all(is_right)};
}

}  // namespace bench
