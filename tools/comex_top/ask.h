// Asks a progress rank of this machine for what all ranks of the job are in, those of other machines too.
#pragma once

#include <optional>

#include "snapshot.h"
#include "watch/job_state.h"

namespace comex::top {

// Empty: no progress rank of this machine has answered within some seconds.
std::optional<watch::JobState> ask_whole_job(const Job& job);

}  // namespace comex::top
