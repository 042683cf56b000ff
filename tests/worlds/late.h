// Who waits in vain for others, because they come later or mean another group, learns it after COMEX_MEET_S,
// which is short here; what follows works.
#pragma once

#include <numeric>

#include "mpi/told.h"
#include "worlds/agreement.h"

namespace comex::testing {

// One leader calls alone and gives up, then both call with the same tag; COMEX_MEET_S is short.
inline void one_side_comes_too_late(const Job& job) {
  const HalvesOfTheWorld halves(job);
  for (const int early : {0, 1}) {  // whose leader opens a port, and whose looks for it
    comex_group_t inter = untouched;
    if (job.me % 2 == early) {
      comex_set_errors(COMEX_ERRORS_RETURN);
      job.equal(halves.join(&inter), COMEX_FAILURE, "joining with a side that does not come");
      comex_set_errors(COMEX_ERRORS_ABORT);
      job.equal(inter, untouched, "the output of joining that failed");
    }
    job.done(comex_barrier(everyone));
    job.done(halves.join(&inter));
    job.done(comex_world_disconnect(&inter));
  }
}

// Of three lists none names another: {0,1}, {1,2}, {2,0}.
inline void lists_wait_in_a_circle(const Job& job) {
  std::vector<int> mine{job.me, (job.me + 1) % 3};
  comex_group_t made = untouched;
  comex_set_errors(COMEX_ERRORS_RETURN);
  const std::string text = told([&] {
    job.equal(comex_group_from_lpids(2, mine.data(), &made), COMEX_FAILURE, "lists that wait in a circle");
  });
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.require(text.find(" did not call") != std::string::npos && text.find('\n') == text.size() - 1,
              text.c_str());
  job.equal(made, untouched, "an output of a collective that failed");
}

// Nobody waits for ever for a group that cannot come about: all who call get the error, and the right lists
// work.
inline void lists_differ(const Job& job) {
  std::vector<int> all{0, 1, 2};
  std::vector<int> others{1, 2};
  comex_group_t made = untouched;
  comex_set_errors(COMEX_ERRORS_RETURN);
  job.equal(comex_group_create(3, job.me == 1 ? nullptr : all.data(), everyone, &made), COMEX_FAILURE,
            "creation where one names nobody");
  job.done(comex_barrier(everyone));
  std::vector<int>& mine = job.me == 1 ? others : all;
  job.equal(comex_group_from_lpids(static_cast<int>(mine.size()), mine.data(), &made), COMEX_FAILURE,
            "creation where one names others");
  job.done(comex_barrier(everyone));
  std::swap(all[0], all[static_cast<std::size_t>(job.me)]);
  job.equal(comex_group_create(3, all.data(), everyone, &made), COMEX_FAILURE,
            "creation where each has an order of its own");
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.equal(made, untouched, "an output of a collective that failed");
  job.done(comex_barrier(everyone));
  std::iota(all.begin(), all.end(), 0);
  for (int round = 0; round < 2; ++round) {
    if (round == 0 && job.me == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // late, but it comes
    job.done(comex_group_create(3, all.data(), everyone, &made));
    data_travels(job, made);
    job.done(comex_group_free(made));
  }
}

}  // namespace comex::testing
