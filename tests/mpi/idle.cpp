// Memory that was freed goes back to the system while the job idles, whoever makes progress and however its
// worker spends the time.
//
// Usage: idle waits|polls|sleeps [threads]
#include <sys/mman.h>

#include <cstdint>

#include "job.h"

namespace {

using comex::testing::everyone;
using comex::testing::Job;

constexpr std::size_t bytes = 64 << 20;

// All workers of a host have the arena at the same place.
std::size_t resident_pages(std::uintptr_t at) {
  std::vector<unsigned char> pages(bytes / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  if (mincore(reinterpret_cast<void*>(at), bytes, pages.data()) != 0) return SIZE_MAX;
  return static_cast<std::size_t>(
      std::count_if(pages.begin(), pages.end(), [](int page) { return (page & 1) != 0; }));
}

// Of the first worker's; the second one stays out of the runtime until it is there no more.
void see_it_go(const Job& job, std::uintptr_t at) {
  for (int tenths = 0; resident_pages(at) > 1024; ++tenths) {
    job.require(tenths < 300, "what was freed half a minute ago is there");
    usleep(100'000);
  }
  job.send_word(0);
}

void spend_the_time(const Job& job) {
  int has_come = 0;
  while (job.has("polls") && has_come == 0) {
    comex_progress();
    usleep(1000);
    MPI_Iprobe(1, MPI_ANY_TAG, job.comm, &has_come, MPI_STATUS_IGNORE);
  }
  if (job.has("waits")) job.done(comex_barrier(everyone));
  job.await_word(1);
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "idle");
  job.check("freed memory goes back", [&] {
    std::uintptr_t at = 0;
    if (job.me == 0) {
      void* const memory = comex_malloc_local(bytes);
      std::memset(memory, 1, bytes);
      at = reinterpret_cast<std::uintptr_t>(memory);
      job.done(comex_free_local(memory));
      job.require(resident_pages(at) > bytes / 8192, "freed memory is kept at first");
    }
    MPI_Bcast(&at, sizeof at, MPI_BYTE, 0, job.comm);
    if (job.me == 0) spend_the_time(job);
    if (job.me == 1) see_it_go(job, at);
    if (job.me != 0 && job.has("waits")) job.done(comex_barrier(everyone));
  });
  return 0;
}
