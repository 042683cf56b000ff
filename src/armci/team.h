// Teams: the ranks that take part in a collective, per group and scope, and the communicator they talk on.
//
// A group's teams own a communicator apart from the one its members see, so that no receive of the
// program meets our messages. Made when the group is made, by state; used by the tree and the messages.
#pragma once

#include <memory>
#include <vector>

#include "flavour.h"

namespace comex::armci {

struct Team {
  MPI_Comm comm = MPI_COMM_NULL;
  int tag = 0;
  std::vector<int> ranks;  // of comm, ascending; the first is the team's root by default
  int index = -1;          // the caller's place in ranks; -1: not in the team

  int size() const { return static_cast<int>(ranks.size()); }
  bool has_me() const { return index >= 0; }
};

class GroupTeams {
 public:
  enum class Context {
    own,         // a duplicate: all members are here, creating
    the_group_s  // the group was made through comex.h; nobody else need be here
  };
  // domain_of: by world rank, what SCOPE_NODE and SCOPE_MASTERS mean.
  GroupTeams(comex_group_t group, Context context, const std::vector<int>& domain_of);
  ~GroupTeams();
  GroupTeams(const GroupTeams&) = delete;
  GroupTeams& operator=(const GroupTeams&) = delete;

  comex_group_t group() const { return group_; }
  // SCOPE_ALL, SCOPE_NODE or SCOPE_MASTERS; another scope ends the job.
  const Team& team(int scope) const;
  int index_of_world(const Team& team, int world_rank) const;  // -1: not in the team
  int world_rank(const Team& team, int index) const;

 private:
  void sort_into_domains(const std::vector<int>& domain_of);

  comex_group_t group_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool owns_comm_ = false;
  std::vector<int> world_of_;  // per rank of the group
  Team all_;
  Team node_;
  Team masters_;
};

}  // namespace comex::armci
