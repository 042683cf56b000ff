// Memory of other worlds in this process: attached with the first way that leads there, once, and let go with
// the last one.
#pragma once

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "worlds/place.h"

namespace comex::testing {

// Arenas in the address space, by inode: one may be mapped in several pieces.
inline std::size_t arenas_here() {
  std::set<std::string> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::string range, access, offset, device, inode, name;
    std::istringstream(line) >> range >> access >> offset >> device >> inode >> name;
    const bool is_arena =
        name.starts_with("/memfd:comex") || name.starts_with("/comex") || name.starts_with("/dev/shm/comex");
    if (is_arena) found.insert(device + " " + inode);
  }
  return found.size();
}

// Two bridges between the same worlds, and the first one goes first.
inline void memory_is_attached_once(const Job& job, const Place& place) {
  const std::size_t alone = arenas_here();
  comex_group_t first = place.meet();
  const std::size_t met = arenas_here();
  if (std::getenv("COMEX_VIRTUAL_HOSTS") == nullptr)
    job.equal(met, alone + 1, "the arenas when worlds have met");
  comex_group_t second = COMEX_GROUP_NULL;
  job.done(comex_intergroup_create(everyone, 0, first, 0, 9, &second));
  job.equal(arenas_here(), met, "the arenas with a second way");
  job.done(comex_world_disconnect(&first));
  job.equal(arenas_here(), met, "the arenas with the second way alone");
  data_crosses(job, second);
  job.done(comex_world_disconnect(&second));
  job.equal(arenas_here(), alone, "the arenas when worlds have parted");
}

// Two bridges between the same worlds; the group on the first one was freed, so the last disconnect ends
// both.
inline void a_freed_way_goes_with_the_last(const Job& job, const Place& place) {
  const std::size_t alone = arenas_here();
  comex_group_t first = place.meet();
  comex_group_t second = COMEX_GROUP_NULL;
  job.done(comex_intergroup_create(everyone, 0, first, 0, 9, &second));
  job.done(comex_group_free(first));
  data_crosses(job, second);
  job.done(comex_world_disconnect(&second));
  job.equal(arenas_here(), alone, "the arenas when worlds have parted");
  int count = 0;
  job.done(comex_lpid_count(&count));
  job.equal(count, job.workers, "the processes known when worlds have parted");
}

}  // namespace comex::testing
