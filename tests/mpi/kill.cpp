// Works for ever, as kill_driver.py's victim: lives of the runtime, allocations and traffic, one after
// another.
//
// Usage: kill DIRECTORY     each process writes its pid to a file of its own there, and is then to be killed
#include <comex/comex.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

void work(int me, int workers) {
  std::vector<void*> places(static_cast<std::size_t>(workers));
  std::vector<double> near(50'000, 1);
  double scale = 1;
  const int next = (me + 1) % workers;
  for (int round = 0; round < 30; ++round) {
    if (comex_malloc(places.data(), 400'000, COMEX_GROUP_WORLD) != COMEX_SUCCESS) return;
    void* there = places[static_cast<std::size_t>(next)];
    long old = 0;
    comex_nbput(near.data(), there, 400'000, next, COMEX_GROUP_WORLD, nullptr);
    comex_acc(COMEX_ACC_DBL, &scale, near.data(), there, 400'000, next, COMEX_GROUP_WORLD);
    comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, there, 1, next, COMEX_GROUP_WORLD);
    comex_lock(0, 0);
    comex_unlock(0, 0);
    comex_get(there, near.data(), 400'000, next, COMEX_GROUP_WORLD);
    for (int i = 0; i < 300; ++i) {  // small ones are left open, sent by somebody else, or in between
      comex_nbput(near.data(), there, 8, next, COMEX_GROUP_WORLD, nullptr);
      for (int pause = 0; pause < 20 * i; ++pause) near[1] = near[1] * 0.5 + 1;
    }
    comex_free(places[static_cast<std::size_t>(me)], COMEX_GROUP_WORLD);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = std::string(argc > 1 ? argv[1] : "/tmp") + "/" + std::to_string(getpid());
  if (std::FILE* file = std::fopen(path.c_str(), "w")) std::fclose(file);
  MPI_Init(&argc, &argv);
  for (;;) {
    comex_init();
    int me = 0;
    int workers = 0;
    comex_group_rank(COMEX_GROUP_WORLD, &me);
    comex_group_size(COMEX_GROUP_WORLD, &workers);
    comex_create_mutexes(1);
    work(me, workers);
    comex_finalize();
  }
}
