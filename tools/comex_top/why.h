// Why a job hangs: who waits for what and for whom, and a verdict in a sentence or two. Pure.
//
// It knows what the arenas of this machine tell: the call that each rank waits in and since when, whether its
// process runs, is stopped or gone, who holds which mutex, what lies at the progress ranks. Of ranks of other
// machines it knows nothing.
#pragma once

#include <string>
#include <vector>

#include "snapshot.h"

namespace comex::top {

struct Why {
  std::vector<std::string> lines;  // one for each rank, and one for each mutex that somebody waits for
  std::string verdict;
};

// `before` is an earlier snapshot: what has moved since does not hang. Null: nothing is known of it.
Why explain(const Job* before, const Job& now);

}  // namespace comex::top
