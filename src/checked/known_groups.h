// The groups that the program uses: who their members are, and by what the members tell each other clocks.
#pragma once

#include <comex.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace comex::checker {

struct GroupEntry {
  std::vector<int> members;       // by rank; the own world's workers have their numbers, others larger ones
  bool has_others = false;        // members of other worlds
  MPI_Comm comm = MPI_COMM_NULL;  // null: of endpoints, of several worlds, or of one member
  bool owns_comm = false;
};

class KnownGroups {
 public:
  explicit KnownGroups(int workers) : workers_(workers) {}

  // In place of an older one of that number.
  void add(comex_group_t group) {
    forget(group);
    made_.insert(group);
  }
  // Null: no such group. The runtime would report a wrong one, so it is asked of those only that were made.
  const GroupEntry* find(comex_group_t group);
  // In place of the one that the runtime lends; it ends when the group is forgotten.
  void keep_comm(comex_group_t group, MPI_Comm comm);
  std::optional<int> worker(int proc, comex_group_t group);  // none: not of the own world
  // endpoint: the caller's in that group, from 1.
  void mark_endpoint(comex_group_t group, int endpoint) { endpoints_[group] = endpoint; }
  // 0: the worker itself.
  int endpoint(comex_group_t group) const {
    const auto found = endpoints_.find(group);
    return found == endpoints_.end() ? 0 : found->second;
  }
  void mark_inter(comex_group_t group) { is_inter_.insert(group); }
  bool is_inter(comex_group_t group) const { return is_inter_.contains(group); }
  bool has_endpoints(comex_group_t group) const { return endpoints_.contains(group); }
  // Whether the caller's next collective call over the group is an odd one.
  bool next_is_odd(comex_group_t group) { return ++meetings_[group] % 2 != 0; }
  bool was_odd(comex_group_t group) { return meetings_[group] % 2 != 0; }
  void forget(comex_group_t group);
  bool is_whole_world(const GroupEntry& entry) const {
    return !entry.has_others && entry.members.size() == static_cast<std::size_t>(workers_);
  }

 private:
  int workers_;
  std::map<comex_group_t, GroupEntry> entries_;
  std::map<comex_group_t, int> endpoints_;
  std::map<comex_group_t, std::uint64_t> meetings_;
  std::set<comex_group_t> made_;  // all but COMEX_GROUP_WORLD and COMEX_GROUP_SELF
  std::set<comex_group_t> is_inter_;
};

}  // namespace comex::checker
