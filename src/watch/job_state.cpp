#include "watch/job_state.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "core/verb_name.h"

namespace comex::watch {
namespace {

struct Counts {
  std::uint64_t ranks = 0;
  std::uint64_t threads = 0;
  std::uint64_t mutexes = 0;
  std::uint64_t silent = 0;
  std::uint64_t members = 0;
  std::uint64_t requests = 0;
};

template <class Row>
std::byte* put(std::byte* to, std::span<const Row> rows) {
  static_assert(std::is_trivially_copyable_v<Row>);
  if (!rows.empty()) std::memcpy(to, rows.data(), rows.size_bytes());
  return to + rows.size_bytes();
}

std::uint64_t rows_bytes(const Counts& counts) {
  return counts.ranks * sizeof(RankState) + counts.threads * sizeof(ThreadWait) +
         counts.mutexes * sizeof(HeldMutex) + counts.silent * sizeof(HostServer) +
         counts.members * sizeof(GroupMember) + counts.requests * sizeof(QueuedRequest);
}

template <class Row>
void take(std::span<const std::byte>& bytes, std::uint64_t count, std::vector<Row>& rows) {
  rows.resize(count);
  const std::size_t length = count * sizeof(Row);
  if (length != 0) std::memcpy(static_cast<void*>(rows.data()), bytes.data(), length);
  bytes = bytes.subspan(length);
}

const char* reason(activity::Obstacle obstacle) {
  switch (obstacle) {
    case activity::Obstacle::order:
      return "an earlier request of its origin is not done";
    case activity::Obstacle::body:
      return "its body has not come";
    case activity::Obstacle::taker:
      return "its origin has not taken its data";
    case activity::Obstacle::staging:
      return "there is no memory to stage its body in";
    case activity::Obstacle::lock:
      return "another process holds the lock of the block that it accumulates to";
    case activity::Obstacle::mirror:
      return "the mirrors of kept memory, on other hosts, do not have its data yet";
  }
  return "nothing is known of why";
}

}  // namespace

void JobState::add(const JobState& other) {
  ranks.insert(ranks.end(), other.ranks.begin(), other.ranks.end());
  threads.insert(threads.end(), other.threads.begin(), other.threads.end());
  mutexes.insert(mutexes.end(), other.mutexes.begin(), other.mutexes.end());
  silent.insert(silent.end(), other.silent.begin(), other.silent.end());
  members.insert(members.end(), other.members.begin(), other.members.end());
  requests.insert(requests.end(), other.requests.begin(), other.requests.end());
}

std::vector<std::byte> pack(const JobState& job_state) {
  const Counts counts{job_state.ranks.size(),  job_state.threads.size(), job_state.mutexes.size(),
                      job_state.silent.size(), job_state.members.size(), job_state.requests.size()};
  std::vector<std::byte> bytes(sizeof counts + rows_bytes(counts));
  std::byte* to = put(bytes.data(), std::span(&counts, 1));
  to = put(to, std::span(job_state.ranks));
  to = put(to, std::span(job_state.threads));
  to = put(to, std::span(job_state.mutexes));
  to = put(to, std::span(job_state.silent));
  to = put(to, std::span(job_state.members));
  put(to, std::span(job_state.requests));
  return bytes;
}

std::optional<JobState> unpack(std::span<const std::byte> bytes) {
  Counts counts;
  if (bytes.size() < sizeof counts) return std::nullopt;
  std::memcpy(&counts, bytes.data(), sizeof counts);
  bytes = bytes.subspan(sizeof counts);
  constexpr std::uint64_t most = UINT32_MAX;  // so that the sum below cannot overflow
  if (std::max({counts.ranks, counts.threads, counts.mutexes, counts.silent, counts.members,
                counts.requests}) > most)
    return std::nullopt;
  if (bytes.size() != rows_bytes(counts)) return std::nullopt;
  JobState job_state;
  take(bytes, counts.ranks, job_state.ranks);
  take(bytes, counts.threads, job_state.threads);
  take(bytes, counts.mutexes, job_state.mutexes);
  take(bytes, counts.silent, job_state.silent);
  take(bytes, counts.members, job_state.members);
  take(bytes, counts.requests, job_state.requests);
  for (RankState& rank : job_state.ranks) rank.wait.call.back() = '\0';
  for (ThreadWait& thread : job_state.threads) thread.wait.call.back() = '\0';
  return job_state;
}

std::string text_of(const QueuedRequest& request, const std::string& origin) {
  std::string text = std::string(protocol::verb_name(request.verb)) + " of " + std::to_string(request.bytes) +
                     " bytes from " + origin;
  if (request.target >= 0) text += " to worker " + std::to_string(request.target);
  return text + ", " + in_seconds(request.seconds) + " old: " + reason(request.obstacle);
}

std::string in_seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

std::string doing(const RankState& rank) {
  if (is_gone(rank)) return "gone";
  if (is_stopped(rank)) return "stopped";
  if (rank.worker < 0) return rank.state == 'S' ? "waits for requests" : "serves";
  if (rank.wait.is_none()) return rank.state == 'R' ? "runs" : "in no call that waits";
  std::string text = (rank.wait.is_repeated ? "in a loop of " : "in ") + rank.wait.name() + " for " +
                     in_seconds(rank.wait.seconds);
  if (rank.wait.target >= 0) {
    text += ", worker " + std::to_string(rank.wait.target);
    if (rank.wait.group != 0) {
      text +=
          " (rank " + std::to_string(rank.wait.rank) + " of group " + std::to_string(rank.wait.group) + ")";
    }
  }
  if (rank.wait.server >= 0) text += ", by rank " + std::to_string(rank.wait.server);
  return text;
}

}  // namespace comex::watch
