// What the façade remembers between calls: the default group, the domains, the groups' message teams.
//
// The C interface has no handle for it, so it hangs here: the façade's only static state. Opened by init
// and closed by finalize, both collective; the getters may be called by any thread in between.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "armci/aggregate.h"
#include "armci/team.h"
#include "flavour.h"

namespace comex::armci {

// Which workers share a host, in runs of consecutive ranks: a host's workers, unless the launcher dealt ranks
// to hosts in turn. Global Arrays takes for granted that a domain's ranks are consecutive and fails to start
// where they are not.
struct Domains {
  std::vector<int> id_of;                 // per world rank
  std::vector<std::vector<int>> members;  // per id, ascending world ranks

  static Domains of_world();
};

struct State {
  std::mutex starting;  // one init or finalize at a time
  std::atomic<bool> is_open{false};

  std::atomic<comex_group_t> default_group{COMEX_GROUP_WORLD};
  Domains domains;
  int me = 0;
  int size = 0;

  std::mutex teams_lock;
  std::map<comex_group_t, std::unique_ptr<GroupTeams>> teams;

  std::mutex memory_lock;
  std::map<void*, comex_group_t> memory;  // own part of an allocation: over which group

  Aggregates aggregates;

  void open();   // collective over the workers
  void close();  // collective over the workers

  // The teams of a group; collective over it the first time, unless the group was made elsewhere.
  void add_teams(comex_group_t group);
  void remove_teams(comex_group_t group);
  GroupTeams& teams_of(comex_group_t group);
};

// Calls that need nothing of comex.h come to it here, or by pass(): where a worker serves itself, a program
// may wait by any call for what another one writes.
State& state();

inline void pass() {
  comex_initialized();
}

// The group of collectives without a group argument.
inline comex_group_t collective_group() {
  return collectives_follow_default_group ? state().default_group.load() : COMEX_GROUP_WORLD;
}

}  // namespace comex::armci
