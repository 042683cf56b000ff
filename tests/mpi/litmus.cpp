// Litmus programs on all workers: see litmus.h. Which route operations take is the settings' business.
// Usage: litmus [rounds [threads] [kept]]; COMEX_TEST_SEED sets the seed of the random programs.
#include "mpi/litmus.h"

#include <comex/extended.h>

#include "mpi/job.h"
#include "support/seed.h"

namespace comex::testing {
namespace {

void run(Job& job, long rounds, unsigned long seed) {
  const auto workers = static_cast<std::size_t>(job.workers);
  LitmusPlace place{everyone,
                    job.me,
                    job.workers,
                    job.comm,
                    std::vector<void*>(workers),
                    std::vector<void*>(workers),
                    true,
                    [&job](const std::string& what) { job.fail(what); }};
  const std::size_t bytes = Litmus::memory_bytes(rounds);
  job.done(job.has("kept") ? comex_malloc_kept(place.memory.data(), bytes, 1, everyone)
                           : comex_malloc(place.memory.data(), bytes, everyone));
  job.done(comex_malloc(place.results.data(), Litmus::result_bytes(job.workers, rounds), everyone));
  void* const memory = place.memory[static_cast<std::size_t>(job.me)];
  void* const results = place.results[static_cast<std::size_t>(job.me)];
  Litmus(std::move(place), seed, rounds).run_all([&job](const char* name, const auto& body) {
    job.check(name, body);
  });
  job.done(comex_free(results, everyone));
  job.done(comex_free(memory, everyone));
}

}  // namespace
}  // namespace comex::testing

int main(int argc, char** argv) {
  using namespace comex::testing;
  Job job(argc, argv, "litmus");
  if (job.has("long")) alarm(190);
  const long rounds = job.arguments.empty() ? 1024 : std::strtol(job.arguments[0].c_str(), nullptr, 10);
  unsigned long seed = chosen_seed(0, argv);
  MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG, 0, job.comm);
  run(job, rounds, seed);
}
