// The lines that the checker prints: one for each pair of places in the program, however often it is found.
#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace comex::checker {

class Findings {
 public:
  // Prints "comex check: TEXT" unless the same `what` has been told.
  void tell(const std::string& what, const std::string& text);
  void tell(const std::string& text) { tell(text, text); }
  std::size_t count() const { return told_.size(); }

 private:
  std::set<std::string> told_;
};

}  // namespace comex::checker
