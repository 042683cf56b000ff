// Computes the ranks of processes within their program, when a launch has several.
//
// They include progress ranks. It is pure and keeps only the processes of its host, while count() sees all of
// the world. The other ranks of a process need no computation: vpid is its rank, local rank is its local
// index, and node ranks continue where earlier worlds ended (node_ranks.h). Used by runtime when a world
// opens.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace comex::groups {

class AppRanks {
 public:
  // The processes of one host by local index: ascending vpids, and the program of the launch of each.
  AppRanks(std::span<const int> vpids, std::span<const std::int32_t> apps);

  // Called once for every process of the world, in any order.
  void count(int vpid, std::int32_t app);

  // The result by local index, after all have been met.
  std::vector<std::int32_t> ranks() const;

 private:
  struct Own {
    std::size_t local_index;
    int vpid;
    std::int32_t lower = 0;  // processes of the app between the own one before it and this one
  };
  std::map<std::int32_t, std::vector<Own>> own_;  // by app
  std::size_t processes_;
};

}  // namespace comex::groups
