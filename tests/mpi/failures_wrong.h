// Workers that make a mistake end alone, and the others go on. Used by failures.cpp.
#pragma once

#include <cstdint>

#include "mpi/failures.h"

namespace comex::testing::failures {

// A worker's wrong operation, which the other host's progress rank refuses, ends that worker alone, though it
// may never ask for the outcome.
inline void refuse_alone(const Job& job) {
  const Memory memory(job);
  std::size_t dead = 0;
  for (const int wrong : {victim, 0}) {
    if (job.me == wrong) {
      const int target = job.workers - 1;
      if (wrong == 0) {
        comex_set_errors(COMEX_ERRORS_RETURN);
        comex_set_errors(COMEX_ERRORS_ABORT);
      }
      long one = 1;
      comex_put(&one, reinterpret_cast<void*>(std::uintptr_t{1} << 46), sizeof one, target, everyone);
      while (wrong == 0) comex_progress();
      comex_fence_proc(target, everyone);
      require(false, "a refusal ends the worker");
    }
    await_failures(++dead);
  }
  require(failed(everyone) == std::vector<int>{0, victim}, "nobody else has died");
  const Living living(everyone);
  require(comex_barrier(living.group) == COMEX_SUCCESS, "the living meet");
}

// A member that is wrong in a collective ends, and the others hear of its death.
inline void be_wrong_in_collectives(const Job& job) {
  std::vector<void*> places(static_cast<std::size_t>(job.workers));
  require(comex_malloc(job.me == victim ? nullptr : places.data(), 64, everyone) == COMEX_PROC_FAILED,
          "an allocation of which a member is wrong");
  const Living living(everyone);
  std::vector<int> all;
  for (int rank = 0; rank < living.size; ++rank) all.push_back(rank);
  comex_group_t made = COMEX_GROUP_NULL;
  require(comex_group_create(living.size, all.data(), living.group, living.rank == 0 ? nullptr : &made) ==
              COMEX_PROC_FAILED,
          "a group of which a member is wrong");
  require(Living(living.group).size == living.size - 1, "the others live");
}

}  // namespace comex::testing::failures
