// trace: worker 0 makes the operations that trace_test.py counts, to a worker of its host and to the last
// one. The last one tells it by MPI that it comes to the barrier, and waits there for half a second. All
// leave the directory where they began. With the name of a directory, odd workers go there, and all open a
// world once more.
#include <comex/comex.h>
#include <unistd.h>

#include <vector>

int main(int argc, char** argv) {
  constexpr int small = 64;
  constexpr int large = 1 << 20;
  if (comex_init_args(&argc, &argv) != COMEX_SUCCESS || chdir("..") != 0) return 1;
  int me = -1;
  int size = 0;
  comex_group_rank(COMEX_GROUP_WORLD, &me);
  comex_group_size(COMEX_GROUP_WORLD, &size);
  std::vector<void*> memory(static_cast<std::size_t>(size));
  comex_malloc(memory.data(), large, COMEX_GROUP_WORLD);
  std::vector<char> own(large);
  MPI_Comm workers = MPI_COMM_NULL;
  comex_group_comm(COMEX_GROUP_WORLD, &workers);
  const int last = size - 1;
  if (me == 0) {
    char* const there = static_cast<char*>(memory[static_cast<std::size_t>(last)]);
    for (int i = 0; i < 7; ++i) comex_put(own.data(), memory[1], small, 1, COMEX_GROUP_WORLD);
    for (int i = 0; i < 3; ++i) comex_get(memory[1], own.data(), large, 1, COMEX_GROUP_WORLD);
    for (int i = 0; i < 5; ++i) comex_get(there, own.data(), large, last, COMEX_GROUP_WORLD);
    for (int i = 0; i < 100; ++i)
      comex_nbput(own.data(), there + i * small, small, last, COMEX_GROUP_WORLD, nullptr);
    comex_fence_proc(last, COMEX_GROUP_WORLD);
    MPI_Recv(nullptr, 0, MPI_BYTE, last, 0, workers, MPI_STATUS_IGNORE);
    usleep(500'000);
  }
  if (me == last) MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, workers);
  comex_barrier(COMEX_GROUP_WORLD);
  comex_free(memory[static_cast<std::size_t>(me)], COMEX_GROUP_WORLD);
  bool is_right = comex_finalize() == COMEX_SUCCESS;
  if (argc > 1) {
    is_right = is_right && (me % 2 == 0 || chdir(argv[1]) == 0);
    is_right = is_right && comex_init() == COMEX_SUCCESS && comex_finalize() == COMEX_SUCCESS;
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
