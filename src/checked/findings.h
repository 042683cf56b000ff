// The lines that the checker prints: one for each pair of places in the program, however often it is found.
#pragma once

#include <cstddef>
#include <cstdio>
#include <set>
#include <string>

namespace comex::checker {

class Findings {
 public:
  // Prints "comex check: TEXT" unless the same `what` has been told.
  void tell(const std::string& what, const std::string& text) {
    if (told_.insert(what).second) print(text);
  }
  void tell(const std::string& text) { tell(text, text); }
  // The same, of what is no fault of the program and does not count.
  void note(const std::string& text) {
    if (noted_.insert(text).second) print(text);
  }
  std::size_t count() const { return told_.size(); }

 private:
  static void print(const std::string& text) {
    const std::string line = "comex check: " + text + "\n";  // in one piece: all ranks write to one place
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
  }

  std::set<std::string> told_;
  std::set<std::string> noted_;
};

}  // namespace comex::checker
