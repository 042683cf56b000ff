// What a job's ranks on this machine are doing, as plain values, and where it is read: in the arenas of the
// job's hosts.
//
// An arena has no name; it is found among the open files of processes of this user (all users, for root), and
// read as a file, so that a job that hangs or is stopped is seen as well. Counts of one snapshot may be some
// microseconds apart.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/activity.h"
#include "file.h"
#include "shm/geometry.h"
#include "watch/job_state.h"

namespace comex::top {

struct Count {
  std::uint64_t count = 0;
  std::uint64_t amount = 0;  // bytes, or nanoseconds of waits
  bool operator==(const Count&) const = default;
};

struct Rank : watch::RankState {
  std::vector<std::array<Count, activity::kinds>> near;  // by slot of its host
  std::vector<std::array<Count, activity::kinds>> far;   // by host, for up to 256 hosts
  std::array<Count, activity::kinds> other_worlds{};
  std::array<Count, activity::waitings> waits{};
  std::uint64_t outstanding = 0;
  std::uint64_t requests = 0;  // that it has served, batched operations included
  std::uint64_t refused = 0;
  std::uint64_t queued_peak = 0;
  std::uint64_t busy_ns = 0;
};

struct Owner {
  int worker = 0;
  std::uint64_t bytes = 0;  // in whole pages
  std::uint64_t blocks = 0;
};

struct Host {
  int number = 0;
  std::uint64_t reserved_bytes = 0;  // address space of its arena
  std::uint64_t used_bytes = 0;
  std::vector<Owner> owners;  // the largest first
  std::vector<Rank> ranks;    // by slot
  watch::JobState state;      // also of ranks whose rows cannot be read
  std::string arena;          // its path, while the process that has it open lives
  FileIdentity identity;
  shm::Geometry geometry;
};

struct Job {
  std::uint64_t id = 0;
  std::uint32_t world = 0;
  double taken_at = 0;      // seconds of the monotonic clock
  std::vector<Host> hosts;  // those on this machine, by number
};

// What its ranks are in.
watch::JobState state_of_job(const Job& job);
// False if a part of the job is on other machines.
bool is_whole(const Job& job);

// "3fa9c2d1": what users name a job by.
std::string name_of(const Job& job);

// All jobs of which this user may read the memory.
std::vector<Job> find_jobs();

}  // namespace comex::top
