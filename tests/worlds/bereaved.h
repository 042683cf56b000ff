// The third of three worlds dies; some of the others have heard of it, the rest have called nothing since.
// Lists that name the dead one fail on all who call; those of the others alone become groups, over a bridge
// without it.
#pragma once

#include "mpi/told.h"
#include "worlds/apart.h"
#include "worlds/worlds.h"

namespace comex::testing {

inline void names_the_dead(const Job& job, const Gpids& members) {
  std::vector<int> lpids;
  for (const auto& [world, rank] : members) {
    job.done(comex_gpid_to_lpid({world, rank}, &lpids.emplace_back()));
  }
  comex_group_t made = COMEX_GROUP_NULL;
  int result = COMEX_SUCCESS;
  const std::string text =
      told([&] { result = comex_group_from_lpids(static_cast<int>(lpids.size()), lpids.data(), &made); });
  job.equal(result, COMEX_FAILURE, "a group with the dead");
  job.equal(made, COMEX_GROUP_NULL, "the output of a call that failed");
  const std::string line = "group_from_lpids: world " + std::to_string(members.back().first) + " has died";
  job.require(text.find(line) != std::string::npos, text.c_str());
}

// `all` has the three, `pid` is of the dead world. Called by two workers of each of the others.
inline void some_hear_later(const Job& job, int side, comex_group_t all, const std::string& pid, NameOf of) {
  const bool has_heard = job.me == 0;
  if (has_heard) job.equal(comex_barrier(all), COMEX_FAILURE, "a barrier with the dead");
  if (!has_heard) await_end_of(pid);
  if (side == 0) names_the_dead(job, {of(0, 0), of(0, 1), of(2, 0)});
  if (side == 0 && !has_heard) return;
  comex_group_t left = named_group(job, {of(1, 0), of(1, 1), of(0, 0)});
  data_travels(job, left);
  job.done(comex_world_disconnect(&left));
}

}  // namespace comex::testing
