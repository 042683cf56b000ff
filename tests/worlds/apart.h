// Processes of two worlds that know each other and share no group, named in one list with those of a third
// world, which meets both: all who call get the line, and nobody waits for who has given up.
#pragma once

#include "mpi/told.h"
#include "worlds/worlds.h"

namespace comex::testing {

using NameOf = Gpids::value_type (*)(unsigned side, unsigned rank);

// Each worker of one world keeps a group with the other worker of the other.
inline comex_group_t tie_crosswise(const Job& job, int side, NameOf of) {
  const bool has_first = (job.me == 0) == (side == 0);  // of the first world
  return named_group(job, has_first ? Gpids{of(0, 0), of(1, 1)} : Gpids{of(0, 1), of(1, 0)});
}

// Called by worker 1 of each; those of the first two share no group.
inline void names_who_is_not_reached(const Job& job, NameOf of) {
  const auto name = [&](unsigned side) { return "(" + std::to_string(of(side, 1).first) + ",1)"; };
  const std::string line =
      "group_from_lpids: no connection leads from process " + name(0) + " to process " + name(1);
  comex_set_errors(COMEX_ERRORS_RETURN);
  for (const Gpids& members : {Gpids{of(0, 1), of(1, 1), of(2, 1)}, Gpids{of(0, 1), of(2, 1), of(1, 1)}}) {
    std::vector<int> lpids;
    for (const auto& [world, rank] : members) {
      job.done(comex_gpid_to_lpid({world, rank}, &lpids.emplace_back()));
    }
    comex_group_t made = COMEX_GROUP_NULL;
    int result = COMEX_SUCCESS;
    const std::string text = told([&] { result = comex_group_from_lpids(3, lpids.data(), &made); });
    job.equal(result, COMEX_FAILURE, "a group of processes that share none");
    job.equal(made, COMEX_GROUP_NULL, "the output of a call that failed");
    job.require(text.find(line) != std::string::npos && text.find('\n') == text.size() - 1, text.c_str());
  }
  comex_set_errors(COMEX_ERRORS_ABORT);
  comex_group_t group = named_group(job, {of(2, 1), of(0, 1), of(1, 1)});
  data_travels(job, group);
  job.done(comex_world_disconnect(&group));
}

}  // namespace comex::testing
