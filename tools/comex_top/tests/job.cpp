// comex_top_job FILE: worker 0 does what the test counts, the others wait for it in a barrier, and it waits
// until there is a FILE.
#include <comex/comex.h>
#include <unistd.h>

#include <vector>

int main(int argc, char** argv) {
  constexpr int small = 64;
  constexpr int large = 1 << 20;
  if (argc < 2 || comex_init_args(&argc, &argv) != COMEX_SUCCESS) return 1;
  int me = -1;
  int size = 0;
  comex_group_rank(COMEX_GROUP_WORLD, &me);
  comex_group_size(COMEX_GROUP_WORLD, &size);
  std::vector<void*> memory(static_cast<std::size_t>(size));
  comex_malloc(memory.data(), large, COMEX_GROUP_WORLD);
  if (me == 0) {
    std::vector<char> own(large);
    for (int i = 0; i < 1000; ++i) comex_put(own.data(), memory[1], small, 1, COMEX_GROUP_WORLD);
    for (int i = 0; i < 10; ++i)
      comex_get(memory[static_cast<std::size_t>(size) - 1], own.data(), large, size - 1, COMEX_GROUP_WORLD);
    while (access(argv[1], F_OK) != 0) usleep(10000);
  }
  comex_barrier(COMEX_GROUP_WORLD);
  comex_free(memory[static_cast<std::size_t>(me)], COMEX_GROUP_WORLD);
  const bool is_right = comex_finalize() == COMEX_SUCCESS;
  MPI_Finalize();
  return is_right ? 0 : 1;
}
