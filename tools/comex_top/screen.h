// The terminal. Made when watching begins, destroyed before anything else is printed.
#pragma once

#include <string>
#include <vector>

namespace comex::top {

class Screen {
 public:
  Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  std::size_t width() const;
  void show(const std::vector<std::string>& lines);
  // Waits for so long; true when the user wants to end. Arrow keys scroll.
  bool wait_for_end(double seconds);

 private:
  void draw() const;

  std::vector<std::string> lines_;
  std::size_t first_ = 0;
};

}  // namespace comex::top
