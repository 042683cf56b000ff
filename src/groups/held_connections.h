// Holds connections, and so their worlds, for an activity that has no table of them yet.
//
// meeting uses it from the time when the other side gets lpids until its group has tables or has failed.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "groups/world_book.h"

namespace comex::groups {

class HeldConnections {
 public:
  explicit HeldConnections(WorldBook& book) : book_(book) {}
  HeldConnections(const HeldConnections&) = delete;
  HeldConnections& operator=(const HeldConnections&) = delete;
  ~HeldConnections() { let_go(); }

  Status take(std::span<const Gpid> gpids) {
    for (const Gpid gpid : gpids) {
      Result<Lpid> lpid = book_.take(gpid);
      if (!lpid) return lpid.take_failure();
      lpids_.push_back(lpid.value());
    }
    return {};
  }
  // Releases all; worlds that nobody else needs are forgotten.
  void let_go() {
    for (const Lpid lpid : std::exchange(lpids_, {})) book_.release(lpid);
  }

 private:
  WorldBook& book_;
  std::vector<Lpid> lpids_;
};

}  // namespace comex::groups
