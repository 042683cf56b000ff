// Lines that show how far a phase is: one every tenth, at most ten a second, and one a second while
// less than a tenth is done. The last one, 100 %, always comes.
// Whole lines, so that they read well on a terminal, through a launcher and in a log file.
#pragma once

#include <cstddef>
#include <string>

namespace spgemm {

class Progress {
 public:
  // Says nothing at all when not `shown`: one worker talks for all.
  Progress(std::string phase, std::size_t total, bool shown);
  // `done` of the total are finished; numbers may be skipped, but do not go back.
  void reached(std::size_t done);
  void finish() { reached(total_); }

 private:
  std::string phase_;
  std::size_t total_;
  bool shown_;
  double begin_;
  double last_line_;
  std::size_t tenths_ = 0;
};

}  // namespace spgemm
