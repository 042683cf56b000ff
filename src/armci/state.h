// The façade's state between calls: the default group, the domains, the message teams of groups, and what
// changes it.
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
#include "runtime/facade.h"

// A definition of a C function begins with COMEX_C. That of PARMCI_X begins with COMEX_PROFILED(X) instead,
// which also makes the weak name ARMCI_X, which a profiler may replace. A function that can fail begins with
// a CallName. Functions that move a few bytes do without, because it would cost them a third; comex.h's name
// (put, nbget, rmw) says as much.
#define COMEX_C extern "C" __attribute__((visibility("default")))
#define COMEX_WEAK_NAME(name, target) \
  extern "C" decltype(target) name __attribute__((weak, alias(#target), visibility("default")))
#define COMEX_PROFILED(name)                    \
  COMEX_WEAK_NAME(ARMCI_##name, PARMCI_##name); \
  COMEX_C

namespace comex::armci {

// Opens the flavour's own parts after the world opens, and closes them before it closes; collective.
void open_flavour();
void close_flavour();

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

// A null comm: over all ranks. COMEX_SUCCESS on a worker, COMEX_FAILURE on a progress rank after its service.
int start(MPI_Comm comm, int* argc, char*** argv);
// The same over a communicator that the program has given; a null one is refused.
int start_over(MPI_Comm comm);
int finish();
void start_mpi(int* argc, char*** argv, int thread_level);  // if it is not running; at least that level

// Allocations over groups, which may be freed before the memory is.
int allocate(void** ptr_arr, std::size_t bytes, comex_group_t group, const char* device);
// Frees the allocation whose own part this is; collective over its members. If the address is none, it is
// freed over the group of collectives, which refuses it unless it is NULL.
int release(void* own_part);
// For the group's end: keeps what is left of its memory by its members.
void keep_memory_of(comex_group_t group);

// The ranks in the world of a group's members.
std::vector<int> world_ranks(comex_group_t group);

}  // namespace comex::armci
