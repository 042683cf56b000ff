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
}

// The message is its name: the sequence is the worker, the phase what has become of it.
bool FailureWatch::on_message(const transport::Message& message) {
  protocol::ControlHeader header;
  if (message.data.size() < sizeof header) return false;
  std::memcpy(&header, message.data.data(), sizeof header);
  if (header.context != op::failure_context) return false;
  if (!is_on() || header.sequence >= told_.size()) return true;
  const auto worker = static_cast<Worker>(header.sequence);
  const WorkerState state =
      header.phase == static_cast<std::uint32_t>(WorkerState::lost) ? WorkerState::lost : WorkerState::dead;
  world_.failures.mark(worker, state);
  told_[worker] = std::max(told_[worker], state);  // the sender tells everybody
  return true;
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

void FailureWatch::tell_others() {
  const std::uint64_t epoch = world_.failures.epoch();
  if (epoch == told_epoch_) return;
  told_epoch_ = epoch;
  for (std::size_t worker = 0; worker < told_.size(); ++worker) {
    const WorkerState state = world_.failures.of(static_cast<Worker>(worker));
    if (state <= told_[worker]) continue;
    told_[worker] = state;
    for (const watch::HostServer& other : others_)
      control_.send(other.server, op::failure_context, worker, static_cast<std::uint32_t>(state), {});
  }
}

}  // namespace comex::runtime
