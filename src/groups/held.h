// Keeps connections, and so their worlds, while something is under way that has no table of them yet.
//
// Used by meeting from where the other side has got lpids until its group has its tables, or never will.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "groups/world_book.h"

namespace comex::groups {

class Held {
 public:
  explicit Held(WorldBook& book) : book_(book) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { let_go(); }

  Status take(std::span<const Gpid> gpids) {
    for (const Gpid gpid : gpids) {
      Result<Lpid> lpid = book_.take(gpid);
      if (!lpid) return lpid.take_failure();
      lpids_.push_back(lpid.value());
    }
    return {};
  }
  // Worlds that nobody else needs are forgotten.
  void let_go() {
    for (const Lpid lpid : std::exchange(lpids_, {})) book_.release(lpid);
  }

 private:
  WorldBook& book_;
  std::vector<Lpid> lpids_;
};

}  // namespace comex::groups
