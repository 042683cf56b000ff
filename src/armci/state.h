// The façade's state between calls: the default group, the domains, the message teams of groups.
//
// It is static, because the C interface has no handle for it; besides, a flavour keeps its notices or its
// groups so. Init opens it and finalize closes it, both collectively; in between, any thread may call the
// getters.
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

// The workers of each host, in runs of consecutive ranks. A run is the whole host, unless the launcher dealt
// ranks to hosts in turn. Global Arrays requires consecutive ranks in a domain and does not start otherwise.
struct Domains {
  std::vector<int> id_of;                 // by world rank
  std::vector<std::vector<int>> members;  // by id; ascending world ranks

  static Domains of_world();
};

// Who frees an allocation together: a group, or, once that was freed, its members, which are ranks of the
// world.
struct Owners {
  comex_group_t group = COMEX_GROUP_NULL;
  std::vector<int> members;
};

struct State {
  std::recursive_mutex starting;  // only one init or finalize at a time; see runtime/process.h
  std::atomic<bool> is_open{false};
  int inits = 0;  // that no finalize has matched; the mutex guards it

  std::atomic<comex_group_t> default_group{COMEX_GROUP_WORLD};
  Domains domains;
  int me = 0;
  int size = 0;

  std::mutex teams_lock;
  std::map<comex_group_t, std::unique_ptr<GroupTeams>> teams;

  std::mutex memory_lock;
  std::map<void*, Owners> memory;  // by the own part of an allocation

  Aggregates aggregates;

  void open();  // collective over the workers
  void close();

  // Makes the teams of a group; collective over it the first time, unless the group was made elsewhere.
  void add_teams(comex_group_t group);
  void remove_teams(comex_group_t group);  // collective as well
  GroupTeams& teams_of(comex_group_t group);
};

// Calls that need nothing of comex.h enter here or by pass(). Where a worker serves itself, a program may use
// any call to wait for what another one writes.
State& state();

inline void pass() {
  comex_initialized();
}

// Ends the job where a process has died and the others go on: a call without a result cannot tell its caller.
inline void end_at_death(int code) {
  if (code == COMEX_PROC_FAILED)
    comex_error("a process has died, and this call has no result by which its caller could learn it", code);
}

// The group of collectives that have no group argument.
inline comex_group_t collective_group() {
  return collectives_follow_default_group ? state().default_group.load() : COMEX_GROUP_WORLD;
}

}  // namespace comex::armci
