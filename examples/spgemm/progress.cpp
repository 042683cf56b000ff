#include "progress.h"

#include <cstdio>
#include <utility>

#include <fmt/core.h>

#include "stopwatch.h"

namespace spgemm {
namespace {

// Seconds between two lines.
constexpr double shortest_pause = 0.1;
constexpr double longest_pause = 1.0;

}  // namespace

Progress::Progress(std::string phase, std::size_t total, bool shown)
    : phase_(std::move(phase)),
      total_(total),
      shown_(shown && total > 0),
      begin_(now_seconds()),
      last_line_(begin_) {}

void Progress::reached(std::size_t done) {
  if (!shown_) return;
  const double now = now_seconds();
  const std::size_t tenths = done * 10 / total_;
  const bool due = tenths > tenths_ && (tenths == 10 || now - last_line_ >= shortest_pause);
  if (tenths_ == 10 || (!due && now - last_line_ < longest_pause)) return;
  tenths_ = tenths;
  last_line_ = now;
  fmt::print("{:<9} {:3} %  {} of {}  {:.1f} s\n", phase_, done * 100 / total_, done, total_, now - begin_);
  std::fflush(stdout);
}

}  // namespace spgemm
