// Why a job hangs: who waits for what and for whom, and a verdict in a sentence or two. Pure.
//
// It knows what the state of a job tells: the call that each rank waits in and since when, whether its
// process runs, is stopped or gone, who holds which mutex, what lies at the progress ranks, and which hosts
// do not answer.
#pragma once

#include <string>
#include <vector>

#include "watch/job_state.h"

namespace comex::watch {

struct Why {
  std::string verdict;
  bool is_hang = false;  // somebody waits
};

// `before` is an earlier state: what has moved since does not hang. Null: nothing is known of it.
Why explain(const JobState* before, const JobState& now);
// A line for each rank, and one for each mutex that somebody waits for; then who waits for whom, as trees.
std::vector<std::string> describe(const JobState& job_state);

}  // namespace comex::watch
