// All sequences of choices of a program that is run again and again, one after the other, depth first.
//
// The program asks choose() where it could go on in several ways, and must ask the same questions when it
// gets the same answers. Choice 0 comes first; a sequence that ends early has been tried with 0 for all the
// rest.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

namespace comex::rules {

class Choices {
 public:
  void begin() { at_ = 0; }

  unsigned choose(unsigned options) {
    if (at_ == path_.size()) path_.push_back({0, options});
    if (path_[at_].options != options) std::abort();  // the program is not the same as before
    return path_[at_++].taken;
  }

  // The next sequence; false: there are no more.
  bool next() {
    path_.resize(at_);
    while (!path_.empty() && path_.back().taken + 1 == path_.back().options) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }
  void forget() {
    path_.clear();
    at_ = 0;
  }

  std::string describe() const {
    std::string text;
    for (const Choice& each : path_)
      text += std::to_string(each.taken) + "/" + std::to_string(each.options) + " ";
    return text;
  }

 private:
  struct Choice {
    unsigned taken;
    unsigned options;
  };
  std::vector<Choice> path_;
  std::size_t at_ = 0;
};

}  // namespace comex::rules
