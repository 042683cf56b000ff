// The ranks of processes in their parts of a launch of several programs. They count progress ranks.
//
// Pure. Keeps nothing but its own processes, while all of a world pass by. Of the other ranks of a process
// the vpid is its rank, the local rank its local index, and node ranks go on from where earlier worlds ended
// (node_ranks.h). Used by runtime as a world opens.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace comex::groups {

class AppRanks {
 public:
  // What the processes of one host are, by local index: vpids ascending, apps are programs of the launch.
  AppRanks(std::span<const int> vpids, std::span<const std::int32_t> apps);

  // Once for every process of the world, in any order.
  void meet(int vpid, std::int32_t app);

  // By local index, when all have been met.
  std::vector<std::int32_t> ranks() const;

 private:
  struct Own {
    std::size_t local_index;
    int vpid;
    std::int32_t lower = 0;  // processes of the app below this one and above the own one before it
  };
  std::map<std::int32_t, std::vector<Own>> own_;  // by app
  std::size_t processes_;
};

}  // namespace comex::groups
