// Spawns a process, meets it at a port, moves data between the worlds and parts: the phases of faults.h that
// phases.cpp does not have.
//
// Usage: worlds          worker 0 prints "worlds: all data right" at its end
//        worlds child PORT   what it spawns
#include <comex/comex.h>
#include <comex/worlds.h>
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "victim.h"

using comex::testing::phase;
using comex::testing::require;

namespace {

constexpr comex_group_t everyone = COMEX_GROUP_WORLD;
constexpr int doubles = 50'000;
constexpr int body_bytes = doubles * static_cast<int>(sizeof(double));
constexpr int port_bytes = 400;
constexpr double limit_s = 15;
constexpr const char* child_rank = "100";  // by which points name the spawned process

std::string assigned(const char* name) {
  const char* const value = std::getenv(name);
  return std::string(name) + "=" + (value == nullptr ? "" : value);
}

comex_group_t spawn_child(const char* program, char* port) {
  phase("spawn");
  std::vector<std::string> words{assigned("LD_PRELOAD"),
                                 assigned("COMEX_TEST_FAULTS"),
                                 assigned("COMEX_TEST_FAULT"),
                                 std::string("COMEX_TEST_FAULTS_RANK=") + child_rank,
                                 program,
                                 "child",
                                 port};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  comex_group_t children = COMEX_GROUP_NULL;
  require(comex_world_spawn("/usr/bin/env", arguments.data(), 1, 0, everyone, &children) == COMEX_SUCCESS,
          "spawn");
  return children;
}

// Each writes to the next one of a group that spans the worlds, and reads it back.
void move_data(comex_group_t all) {
  int me = -1;
  int members = 0;
  comex_group_rank(all, &me);
  comex_group_size(all, &members);
  require(members == 3, "the size of the merged group");
  std::vector<void*> places(static_cast<std::size_t>(members));
  phase("malloc");
  require(comex_malloc(places.data(), body_bytes, all) == COMEX_SUCCESS, "malloc");
  const int next = (me + 1) % members;
  void* const theirs = places[static_cast<std::size_t>(next)];
  std::vector<double> near(doubles, me);
  phase("put_body");
  require(comex_put(near.data(), theirs, body_bytes, next, all) == COMEX_SUCCESS, "put");
  phase("barrier");
  require(comex_barrier(all) == COMEX_SUCCESS, "barrier");
  phase("get");
  near.assign(doubles, -1);
  require(comex_get(theirs, near.data(), body_bytes, next, all) == COMEX_SUCCESS, "get");
  for (const double value : near) require(value == me, "what was put and got");
  phase("free");
  require(comex_free(places[static_cast<std::size_t>(me)], all) == COMEX_SUCCESS, "free");
}

void part_from(comex_group_t group) {
  require(comex_world_disconnect(&group) == COMEX_SUCCESS, "disconnect");
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_child = argc > 2;
  phase("init");
  MPI_Init(&argc, &argv);
  require(comex_init() == COMEX_SUCCESS, "init");
  int me = 0;
  comex_group_rank(everyone, &me);
  std::array<char, port_bytes> port{};
  if (me == 0 && !is_child)
    require(comex_world_open_port(port.data(), port_bytes) == COMEX_SUCCESS, "open_port");
  comex_group_t inter = COMEX_GROUP_NULL;
  if (is_child) {
    require(comex_world_parent(&inter) == COMEX_SUCCESS, "parent");
  } else {
    inter = spawn_child(argv[0], port.data());
  }
  phase("connect");
  comex_group_t met = COMEX_GROUP_NULL;
  if (is_child) {
    require(comex_world_connect(argv[2], 0, COMEX_GROUP_SELF, limit_s, &met) == COMEX_SUCCESS, "connect");
  } else if (me == 0) {
    require(comex_world_accept(port.data(), 0, COMEX_GROUP_SELF, limit_s, &met) == COMEX_SUCCESS, "accept");
  }
  comex_group_t all = COMEX_GROUP_NULL;
  require(comex_group_merge(inter, is_child ? 1 : 0, &all) == COMEX_SUCCESS, "merge");
  move_data(all);
  phase("disconnect");
  part_from(all);
  if (met != COMEX_GROUP_NULL) part_from(met);
  part_from(inter);
  phase("finalize");
  if (me == 0 && !is_child) std::printf("worlds: all data right\n");
  require(comex_finalize() == COMEX_SUCCESS, "finalize");
  MPI_Finalize();
}
