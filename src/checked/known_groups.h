// The groups that the program uses: who their members are, and by what the members tell each other clocks.
#pragma once

#include <comex/worlds.h>

#include <map>
#include <optional>
#include <vector>

namespace comex::checker {

struct GroupEntry {
  std::vector<int> members;       // by rank; the own world's workers have their numbers, others larger ones
  bool has_others = false;        // members of other worlds
  MPI_Comm comm = MPI_COMM_NULL;  // null: of endpoints, of several worlds, or of one member
  bool is_inter = false;          // ranks name its remote side, as in operations
  int endpoint = 0;               // the caller's in it, from 1; 0: the worker itself
  std::vector<int> endpoints;     // of members: how many their workers had made before; or empty
};

class KnownGroups {
 public:
  explicit KnownGroups(int workers) : workers_(workers) {}

  // In place of an older one of that number.
  GroupEntry& add(comex_group_t group) {
    forget(group);
    return entries_[group];
  }
  // Null: no such group. The runtime would report a wrong one, so it is asked of those only that were made.
  GroupEntry* find(comex_group_t group);
  // In place of the one that the runtime lends; it ends when the group is forgotten.
  void keep_comm(comex_group_t group, MPI_Comm comm);
  std::optional<int> worker(int proc, comex_group_t group);  // none: not of the own world
  int endpoint(comex_group_t group) const {
    const auto found = entries_.find(group);
    return found == entries_.end() ? 0 : found->second.endpoint;
  }
  bool is_inter(comex_group_t group) const {
    const auto found = entries_.find(group);
    return found != entries_.end() && found->second.is_inter;
  }
  void forget(comex_group_t group);
  void free_comms();  // at the end, collective over the workers; that of the world too

 private:
  int workers_;
  std::vector<MPI_Comm> own_comms_;  // those kept, in the order of their groups, which all members share
  std::map<comex_group_t, GroupEntry> entries_{{COMEX_GROUP_WORLD, {}}, {COMEX_GROUP_SELF, {}}};
};

}  // namespace comex::checker
