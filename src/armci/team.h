// Teams: the ranks that take part in a collective, by group and scope, and their communicator.
//
// The teams of a group use a duplicate of it that its members do not see, so no receive of the program
// matches the façade's messages. state makes them with the group; the tree and the messages use them.
#pragma once

#include <vector>

#include "flavour.h"

namespace comex::armci {

struct Team {
  MPI_Comm comm = MPI_COMM_NULL;
  int tag = 0;
  std::vector<int> ranks;                      // of comm, ascending; the first is the default root
  int index = -1;                              // the caller's index in ranks; -1: not in the team
  const std::vector<int>* world_of = nullptr;  // by rank of comm; its group's

  int size() const { return static_cast<int>(ranks.size()); }
  bool has_me() const { return index >= 0; }
};

class GroupTeams {
 public:
  // `duplicates`: all members make the duplicate; else the group was made through comex.h, and the others may
  // be elsewhere. `domain_of` has the domain of each world rank, for SCOPE_NODE and SCOPE_MASTERS.
  GroupTeams(comex_group_t group, bool duplicates, const std::vector<int>& domain_of);
  GroupTeams(const GroupTeams&) = delete;
  GroupTeams& operator=(const GroupTeams&) = delete;

  comex_group_t duplicate() const { return duplicate_; }  // it lives until the end unless it is freed
  bool is_borrowed() const { return is_borrowed_; }       // its group may be freed and its number used again
  // The scope is SCOPE_ALL, SCOPE_NODE or SCOPE_MASTERS; another one ends the job.
  const Team& team(int scope) const;
  int index_of_world(const Team& team, int world_rank) const;  // -1: not in the team
  int world_rank(const Team& team, int index) const;

 private:
  comex_group_t duplicate_ = COMEX_GROUP_NULL;  // null if the teams use the group's own communicator
  const bool is_borrowed_;
  std::vector<int> world_of_;  // by rank of the group
  Team all_;
  Team node_;
  Team masters_;
};

}  // namespace comex::armci
