// The latest accesses to each byte of one worker's memory, from which conflicts without order are found.
//
// Accesses come in an order that agrees with the order that the program made. For each byte the shadow keeps
// of every origin and kind of use the access that was done last: whoever is not ordered behind an earlier one
// is not ordered behind that one either. Of words it keeps the last few with different values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "checker/access.h"

namespace comex::checker {

struct Conflict {
  const Access* earlier = nullptr;
  const Access* later = nullptr;
  std::uint64_t begin = 0;  // the first bytes that both touch
  std::uint64_t bytes = 0;
};

class Shadow {
 public:
  // Time of `origin` that the origin of `access` knew when it issued it.
  using Known = std::function<Time(const Access& access, std::uint16_t origin)>;
  using Found = std::function<void(const Conflict& conflict)>;

  Shadow(Known known, Found found) : known_(std::move(known)), found_(std::move(found)) {}

  // One run of `access`, which stays where it is as long as this shadow is used.
  void touch(const Access& access, std::uint64_t begin, std::uint64_t bytes);

 private:
  struct Cell {
    std::uint64_t end = 0;
    std::vector<const Access*> latest;
  };
  using Cells = std::map<std::uint64_t, Cell>;

  void split(std::uint64_t at);
  void visit(Cell& cell, const Access& access, std::uint64_t begin);
  void compare(const Access& earlier, const Access& later, std::uint64_t begin, std::uint64_t end);

  Known known_;
  Found found_;
  Cells cells_;
};

}  // namespace comex::checker
