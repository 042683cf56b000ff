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
  // The same, of what is no fault of the program and does not count.
  void note(const std::string& text);
  std::size_t count() const { return told_.size(); }

 private:
  std::set<std::string> told_;
  std::set<std::string> noted_;
};

}  // namespace comex::checker
