// A world stands still when all have met to part: the other one, whose only worker serves itself, ends with a
// line. Usage: stopped [child]
#include <comex/worlds.h>
#include <mpi.h>
#include <sys/socket.h>

#include <csignal>
#include <string>

namespace {

bool stops = false;

}  // namespace

// A link between the worlds is told that they part.
extern "C" __attribute__((visibility("default"))) ssize_t send(int socket, const void* data,
                                                               std::size_t bytes, int flags) {
  if (stops) std::raise(SIGSTOP);
  return sendto(socket, data, bytes, flags, nullptr, 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool is_child = argc > 1;
  comex_init();
  comex_group_t inter = COMEX_GROUP_NULL;
  if (is_child) {
    comex_world_parent(&inter);
  } else {
    std::string word = "child";
    char* arguments[] = {word.data(), nullptr};
    comex_world_spawn(argv[0], arguments, 1, 0, COMEX_GROUP_WORLD, &inter);
  }
  comex_barrier(inter);
  stops = is_child;
  comex_world_disconnect(&inter);
  comex_finalize();
  MPI_Finalize();
}
