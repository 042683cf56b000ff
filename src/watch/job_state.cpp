#include "watch/job_state.h"

#include <cstdio>

#include "core/verb_name.h"

namespace comex::watch {
namespace {

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
  const auto append = [](auto& rows, const auto& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  append(ranks, other.ranks);
  append(threads, other.threads);
  append(mutexes, other.mutexes);
  append(silent, other.silent);
  append(members, other.members);
  append(requests, other.requests);
}

std::optional<JobState> unpack(std::span<const std::byte> bytes) {
  std::optional<JobState> job_state = unpack_fields<JobState>(bytes);
  if (!job_state) return std::nullopt;
  for (RankState& rank : job_state->ranks) rank.wait.call.back() = '\0';
  for (ThreadWait& thread : job_state->threads) thread.wait.call.back() = '\0';
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
  if (rank.has_left && rank.wait.is_none()) return "past comex_finalize";
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
