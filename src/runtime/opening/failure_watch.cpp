#include "runtime/opening/failure_watch.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/opening/boards.h"
#include "runtime/opening/job_watch.h"

namespace comex::runtime {

using groups::WorkerState;

FailureWatch::FailureWatch(World& world, const Reporter& reporter)
    : world_(world), reporter_(reporter), control_(*world.transport) {
  if (!is_on()) return;
  others_ = servers_elsewhere(world);
  told_.resize(world.share.workers, WorkerState::alive);
  seen_.resize(world.share.workers);
}

// The message is its name: the sequence is the number of a worker or host, the phase what it is about, and
// what has become of a worker.
void FailureWatch::send_all(Phase phase, std::uint64_t number, WorkerState state) {
  const auto what = static_cast<std::uint32_t>(phase) << 8 | static_cast<std::uint32_t>(state);
  for (const watch::HostServer& other : others_)
    control_.send(other.server, op::failure_context, number, what, {});
}

bool FailureWatch::on_message(const transport::Message& message) {
  protocol::ControlHeader header;
  if (message.data.size() < sizeof header) return false;
  std::memcpy(&header, message.data.data(), sizeof header);
  if (header.context != op::failure_context) return false;
  if (!is_on()) return true;
  const bool is_of_worker = header.phase >> 8 == static_cast<std::uint32_t>(Phase::worker);
  if (!is_of_worker && header.sequence < world_.share.hosts) {
    world_.failures.note_left(static_cast<std::uint32_t>(header.sequence));
  } else if (is_of_worker && header.sequence < told_.size()) {
    const auto worker = static_cast<Worker>(header.sequence);
    const bool is_lost = (header.phase & 0xff) == static_cast<std::uint32_t>(WorkerState::lost);
    const WorkerState state = is_lost ? WorkerState::lost : WorkerState::dead;
    world_.failures.mark(worker, state);
    told_[worker] = std::max(told_[worker], state);  // the sender tells everybody
  }
  return true;
}

bool FailureWatch::may_end() {
  if (!is_on()) return true;
  if (!has_said_left_) {
    has_said_left_ = true;
    const auto host = static_cast<std::uint32_t>(world_.place.host);
    world_.failures.note_left(host);
    send_all(Phase::host_left, host, WorkerState::alive);
  }
  return world_.failures.left_hosts() == world_.share.hosts && world_.transport->unsent() == 0;
}

bool FailureWatch::is_due() {
  const std::uint64_t now = world_.os->now_ns();
  if (now - looked_ns_ < between_looks_ns) return false;
  looked_ns_ = now;
  return true;
}

void FailureWatch::look_at(int rank) {
  const pr::RankPlace& place = world_.share.place_of(rank);
  const auto slot = static_cast<shm::HostSlot>(place.local_index);
  if (world_.arena->is_alive(slot)) return;
  gone_.push_back(rank);
  if (board_of(world_, slot).is_leaving.load(std::memory_order_acquire) != 0) return;
  const auto worker = static_cast<Worker>(place.worker);
  if (!world_.failures.mark(worker, WorkerState::dead)) return;  // another progress rank was first
  reporter_.notice("worker " + std::to_string(worker) + " on " + reporter_.identity().host +
                   " has died; the job goes on without it (COMEX_ON_FAILURE=continue)");
}

bool FailureWatch::see(Worker worker) {
  const WorkerState state = world_.failures.of(worker);
  if (state > told_[worker]) {
    told_[worker] = state;
    send_all(Phase::worker, worker, state);
  }
  const bool is_new = state != WorkerState::alive && !seen_[worker];
  seen_[worker] = state != WorkerState::alive;
  return is_new;
}

}  // namespace comex::runtime
