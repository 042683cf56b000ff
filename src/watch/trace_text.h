// The events of one rank as JSON for Perfetto: slices on the rank's track, and arrows from requests that were
// sent to where they were served.
//
// It is the JSON object format of trace events, without its head and end, so that the texts of all ranks
// follow each other. Slices of one track nest; where two overlap, because of threads or of requests that were
// queued, the later one is on a track of its own. Pure.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "core/trace.h"

namespace comex::watch {

struct TracedRank {
  std::int32_t rank = 0;     // MPI rank
  std::int32_t worker = -1;  // -1: a progress rank
  std::int32_t host = 0;
  std::string host_name;
  std::vector<std::int32_t> worker_of_slot;  // of its host; -1: a progress rank
  std::uint32_t hosts = 1;
  std::int64_t shift_ns = 0;  // adds to times of events, so that all machines have one time
  std::uint64_t lost = 0;     // events that there was no room for
};

// Each event ends with ",\n". The events are brought into the order of their beginnings.
void write_events(std::ostream& out, std::span<trace::Event> events, const TracedRank& traced);

extern const char* const trace_head;
extern const char* const trace_end;

}  // namespace comex::watch
