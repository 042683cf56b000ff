// A view as JSON, and as one HTML page that needs nothing else: the matrix as a heat map, and curves of what
// was seen.
#pragma once

#include <string>
#include <vector>

#include "view.h"

namespace comex::top {

// One moment of a job: the sums of its ranks on this machine.
struct Moment {
  double seconds = 0;  // since watching began
  double operations = 0;
  double bytes = 0;
  double waiting = 0;  // of the workers, on average
  double busy = 0;     // of the progress ranks, on average
};
Moment moment_of(const JobView& view, double began);

std::string json_of(const JobView& view, const Matrix& matrix);
std::string html_of(const JobView& view, const Matrix& matrix, const std::vector<Moment>& moments);

}  // namespace comex::top
