// Groups of the own world's processes that come from a group of both worlds: they need the other one for
// nothing, and work when it has left or died.
#pragma once

#include <array>
#include <numeric>
#include <span>

#include "worlds/worlds.h"

namespace comex::testing {

// Those of the own world in a group of both, made in three ways. The other side calls it at the same time.
inline std::array<comex_group_t, 3> own_parts(const Job& job, comex_group_t merged, bool accepts) {
  std::array<comex_group_t, 3> parts{COMEX_GROUP_NULL, COMEX_GROUP_NULL, COMEX_GROUP_NULL};
  job.done(comex_group_split(merged, accepts ? 1 : 0, -job.me, &parts[0]));
  job.done(comex_group_create_endpoints(merged, accepts ? 1 : 0, &parts[1]));
  std::vector<int> lpids(static_cast<std::size_t>(job.workers));
  std::iota(lpids.begin(), lpids.end(), 0);
  job.done(comex_group_from_lpids(job.workers, lpids.data(), &parts[2]));
  return parts;
}

// Whatever has become of the other world.
inline void are_used_alone(const Job& job, std::span<comex_group_t> parts) {
  for (comex_group_t& part : parts) {
    if (part == COMEX_GROUP_NULL) continue;
    comex_group_t copy = COMEX_GROUP_NULL;
    job.done(comex_group_dup(part, &copy));
    if (&part != &parts[1]) has_communicator(job, copy);
    data_travels(job, copy);
    job.done(comex_group_free(copy));
    job.done(comex_world_disconnect(&part));
  }
}

}  // namespace comex::testing
