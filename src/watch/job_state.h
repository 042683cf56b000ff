// The state of a job's ranks at one moment: their calls and waits, the mutexes that they hold, and what lies
// at progress ranks.
//
// The state of one host is read from its arena (read_host). Those of several hosts are joined by the
// progress rank that asked for them. Times are durations, since every machine has a clock of its own. Made by
// runtime/opening and comex_top, explained by watch/why.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/activity.h"
#include "core/packing.h"
#include "core/protocol.h"

namespace comex::watch {

struct Wait {
  std::array<char, activity::CurrentWait::name_bytes> call{};  // empty: it is in no wait that has lasted
  double seconds = 0;
  activity::Waiting waiting = activity::Waiting::other;
  std::uint32_t kind = 0;    // equal for the same call, by whatever name the program made it
  std::int32_t target = -1;  // a worker
  std::int32_t server = -1;  // MPI rank of the progress rank that has to answer
  std::int32_t group = 0;    // with it, how the call names the target
  std::int32_t rank = -1;
  std::uint64_t context = 0;  // of the group whose members it waits for; 0: the world, or none
  std::int64_t mutex = -1;    // of the target's; -1: none

  bool is_repeated = false;  // the call returns at once, and is made again and again

  bool is_none() const { return call.front() == '\0'; }
  std::string name() const { return call.data(); }
};

struct RankState {
  std::int32_t rank = -1;    // MPI rank in its job
  std::int32_t worker = -1;  // -1: a progress rank
  std::int32_t host = 0;
  std::int32_t slot = 0;
  std::int32_t pid = 0;
  char state = '?';            // of the process, as in /proc; 'X': it is gone
  bool has_left = false;       // by comex_finalize
  bool is_known_dead = false;  // the others go on without it
  double open_seconds = 0;
  double quiet_seconds = 0;      // since its last wait, or since it opened its world
  Wait wait;                     // of several threads' waits the longest
  std::uint64_t queued = 0;      // requests in the queues of a progress rank
  std::uint64_t operations = 0;  // that it has made since the start
};

// Of a rank of which several threads wait: another wait than the one of its RankState.
struct ThreadWait {
  std::int32_t rank = 0;
  Wait wait;
};

// A mutex that somebody holds.
struct HeldMutex {
  std::int32_t owner = 0;   // the worker whose mutex it is
  std::int32_t holder = 0;  // a worker, of any host
  std::uint64_t index = 0;
  std::uint64_t waiting = 0;  // in line behind it
};

// A rank, and the context of a group but the world that it is a member of.
struct GroupMember {
  std::int32_t rank = 0;
  std::uint64_t context = 0;
};

// The first request in one origin's queue at a progress rank.
struct QueuedRequest {
  std::int32_t server = 0;   // MPI rank of the progress rank
  std::int32_t from = 0;     // MPI rank of its origin
  std::int32_t target = -1;  // a worker; -1: several
  protocol::Verb verb = protocol::Verb::put;
  activity::Obstacle obstacle = activity::Obstacle::order;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

// A host, and the MPI rank of a progress rank that can be asked there.
struct HostServer {
  std::int32_t host = 0;
  std::int32_t server = 0;
};

struct JobState {
  std::vector<RankState> ranks = {};
  std::vector<HeldMutex> mutexes = {};
  std::vector<HostServer> silent = {};  // were asked and did not answer
  std::vector<GroupMember> members = {};
  std::vector<QueuedRequest> requests = {};
  std::vector<ThreadWait> threads = {};

  void add(const JobState& other);
  static void for_each_field(auto& job_state, auto&& visit) {
    visit(job_state.ranks);
    visit(job_state.mutexes);
    visit(job_state.silent);
    visit(job_state.members);
    visit(job_state.requests);
    visit(job_state.threads);
  }
};

// As bytes, for processes of one build.
inline Bytes pack(const JobState& job_state) {
  return pack_fields(job_state);
}
std::optional<JobState> unpack(std::span<const std::byte> bytes);  // empty: these are not the bytes of one

inline bool is_gone(const RankState& rank) {
  return rank.state == 'X' || rank.state == 'Z';
}
inline bool is_stopped(const RankState& rank) {
  return rank.state == 'T' || rank.state == 't';
}
// Such as "runs", "stopped", "in barrier for 3.2 s".
std::string doing(const RankState& rank);
// Such as "put of 8 bytes from worker 3 to worker 1, 2.0 s old: its body has not come".
std::string text_of(const QueuedRequest& request, const std::string& origin);
std::string in_seconds(double seconds);  // such as "3.2 s"

}  // namespace comex::watch
