// Forked children: COMEX_FORK says whether they have the arena; calls are refused in them, and their ends
// hurt nobody.
//
// Usage: fork [share]
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "job.h"

namespace {

using comex::testing::everyone;
using comex::testing::Everywhere;
using comex::testing::Job;

constexpr std::size_t bytes = 4096;

// What the child ends with; it leaves as programs do, through exit handlers.
template <class Run>
int status_of_child(const Run& run) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) std::exit(run());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// As a checkpoint does; the error, or 0.
int error_of_writing(const void* memory) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  return write(ends[1], memory, bytes) == static_cast<ssize_t>(bytes) ? 0 : errno;
}

int load_and_store(char* mine, const char* theirs) {
  const bool is_there = error_of_writing(mine) == 0 && mine[bytes - 1] == 7 && theirs[bytes - 1] == 7;
  mine[0] = 9;
  return is_there ? 3 : 4;
}

// Every call says so: a child has no runtime.
int refused_calls(void* mine) {
  long word = 0;
  comex_set_errors(COMEX_ERRORS_RETURN);
  const int failures = (comex_put(&word, mine, sizeof word, 0, everyone) != COMEX_SUCCESS) +
                       (comex_barrier(everyone) != COMEX_SUCCESS) + (comex_lock(0, 0) != COMEX_SUCCESS) +
                       (comex_init() != COMEX_SUCCESS) + (comex_finalize() != COMEX_SUCCESS) +
                       (comex_initialized() == 0);
  return failures == 6 ? 3 : 4;
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "fork");
  const Everywhere<char> memory(job, bytes);
  job.done(comex_create_mutexes(1));
  std::memset(memory.mine(), 7, bytes);
  const int neighbour = (job.me + 1) % job.workers;
  if (job.has("share")) {
    job.check("a child loads and stores", [&] {
      const int end = status_of_child([&] { return load_and_store(memory.mine(), memory.of(neighbour)); });
      job.equal(end, 3, "the end of the child");
    });
    job.equal(int{memory.mine()[0]}, 9, "what the child has stored");
  } else {
    job.check("a child has no arena", [&] {
      const int error = status_of_child([&] { return error_of_writing(memory.mine()); });
      job.equal(error, EFAULT, "the error of the child's write");
    });
  }
  job.check("a child's calls are refused", [&] {
    job.equal(status_of_child([&] { return refused_calls(memory.mine()); }), 3, "the end of the child");
  });
  job.check("where errors end the job they end the child", [&] {
    job.equal(status_of_child([] { return comex_barrier(everyone) == COMEX_SUCCESS ? 4 : 5; }), 1,
              "the end of the child");
  });
  job.check("the parents go on", [&] {
    const char value = 5;
    char there = 0;
    job.done(comex_put(const_cast<char*>(&value), memory.of(neighbour), 1, neighbour, everyone));
    job.done(comex_fence_all(everyone));
    job.done(comex_get(memory.of(neighbour), &there, 1, neighbour, everyone));
    job.equal(int{there}, 5, "what was put");
  });
  return 0;
}
