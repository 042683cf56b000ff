// Asks a progress rank of this machine for the state of all ranks of the job, on all machines.
#pragma once

#include <optional>

#include "snapshot.h"
#include "watch/job_state.h"

namespace comex::top {

// Empty: no progress rank of this machine has answered within some seconds.
std::optional<watch::JobState> ask_whole_job(const Job& job);

}  // namespace comex::top
