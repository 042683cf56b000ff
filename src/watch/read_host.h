// Reads the state of one host's ranks from its arena, mapped or as a file.
//
// Nothing is locked, so it works on a job that hangs or is stopped. Counts may be some microseconds apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/activity.h"
#include "shm/geometry.h"
#include "watch/job_state.h"

namespace comex::watch {

// Reads the bytes of an arena from this offset on; false: there are none.
using ReadArena = std::function<bool(std::uint64_t offset, std::span<std::byte> into)>;

// Is shown each rank with what its state was made of: its block, and the rows behind it, which are empty if
// they cannot be read.
using SeeRank = std::function<void(const RankState& rank, const activity::Block& block,
                                   const std::vector<activity::Peer>& peers)>;

// Where the block of a rank lies in the arena.
std::uint64_t block_offset(const shm::Geometry& geometry, std::uint64_t slot);
// `now_ns` is of the machine's monotonic clock. The number of operations is left 0. Of several waits it has
// the longest.
RankState state_of(const activity::Block& block, std::uint64_t now_ns);
// The heads of a progress rank's queues.
void read_queues(const activity::Block& block, std::uint64_t now_ns, std::vector<QueuedRequest>& into);
// Of a worker with more than 4,096 mutexes only the first ones.
JobState read_host(const ReadArena& read, const shm::Geometry& geometry, std::uint64_t now_ns,
                   const SeeRank& see = {});

// By how much the time namespace of a process ("self" or a number) puts a clock ahead: monotonic or boottime.
std::int64_t clock_ahead_ns(const std::string& process, std::string_view clock);
// When this process of this machine began, in ticks of the machine's own clock; 0: there is none.
std::uint64_t process_start(std::int32_t pid);
// Of the process that began then, as /proc has it; 'X': it is gone. `started` 0: whenever it began.
char process_state(std::int32_t pid, std::uint64_t started);

}  // namespace comex::watch
