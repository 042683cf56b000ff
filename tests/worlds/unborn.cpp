// Spawned programs that never become a world. Usage: unborn KIND
//   silent   ends without having called MPI_Init: the job ends at the time limit, since nothing else is left
//   failing  the same, with a status that the launcher takes for a failure: it ends the job
//   strange  comes to MPI and ends without comex_init: spawn fails at the time limit, and the parents go on
#include <cstdlib>

#include "worlds/worlds.h"

using namespace comex::testing;

namespace {

constexpr const char* child_word = "child";

int be_child(const std::string& kind) {
  if (kind == "strange") {
    MPI_Init(nullptr, nullptr);
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) MPI_Comm_free(&parent);
    MPI_Finalize();
  }
  return kind == "failing" ? 3 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::string(argv[2]) == child_word) return be_child(argv[1]);
  Job job(argc, argv, "unborn");
  comex_set_errors(COMEX_ERRORS_RETURN);
  std::vector<std::string> texts{job.arguments.at(0), child_word};
  std::vector<char*> arguments{texts[0].data(), texts[1].data(), nullptr};
  comex_group_t children = COMEX_GROUP_NULL;
  job.equal(comex_world_spawn(argv[0], arguments.data(), 1, 0, everyone, &children), COMEX_FAILURE,
            "the result of spawning a program that is no world");
  job.equal(children, COMEX_GROUP_NULL, "the group of nobody");
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.check("and all goes on", [&] { data_travels(job, everyone); });
}
