// MPI connects two worlds, and makes no communicator of both: the meeting fails on both sides, and what MPI
// has made of it is freed. Usage: unmerged [child]
#include <comex/worlds.h>
#include <mpi.h>

#include <cstdio>
#include <string>

namespace {

MPI_Comm met = MPI_COMM_NULL;  // as MPI has connected the two
bool is_freed = false;

bool require(bool holds, const char* what) {
  if (!holds) std::printf("wrong: %s\n", what);
  return holds;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int PMPI_Comm_accept(const char* port, MPI_Info info, int root,
                                                            MPI_Comm comm, MPI_Comm* made) {
  const int code = MPI_Comm_accept(port, info, root, comm, made);
  met = *made;
  return code;
}

__attribute__((visibility("default"))) int PMPI_Comm_connect(const char* port, MPI_Info info, int root,
                                                             MPI_Comm comm, MPI_Comm* made) {
  const int code = MPI_Comm_connect(port, info, root, comm, made);
  met = *made;
  return code;
}

__attribute__((visibility("default"))) int PMPI_Intercomm_merge(MPI_Comm inter, int high, MPI_Comm* made) {
  return inter == met ? MPI_ERR_INTERN : MPI_Intercomm_merge(inter, high, made);
}

__attribute__((visibility("default"))) int PMPI_Comm_free(MPI_Comm* comm) {
  if (*comm == met) is_freed = true;
  return MPI_Comm_free(comm);
}
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool is_child = argc > 1;
  comex_set_errors(COMEX_ERRORS_RETURN);
  const int started = comex_init();
  bool is_right = require((started == COMEX_SUCCESS) != is_child, "whether init succeeds");
  if (!is_child) {
    std::string word = "child";
    char* arguments[] = {word.data(), nullptr};
    comex_group_t children = COMEX_GROUP_NULL;
    is_right &=
        require(comex_world_spawn(argv[0], arguments, 1, 0, COMEX_GROUP_WORLD, &children) == COMEX_FAILURE,
                "a world that cannot be met");
  }
  is_right &= require(met != MPI_COMM_NULL && is_freed, "MPI's connection is freed");
  if (is_right) std::printf("%s ok\n", is_child ? "child" : "parent");
  std::fflush(stdout);
  comex_finalize();
  MPI_Finalize();
  return is_right ? 0 : 1;
}
