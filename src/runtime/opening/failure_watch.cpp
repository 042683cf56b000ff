#include "runtime/opening/failure_watch.h"

#include <algorithm>
#include <optional>
#include <string>

#include "runtime/opening/boards.h"
#include "runtime/opening/job_watch.h"

namespace comex::runtime {

using groups::WorkerState;

namespace {
constexpr std::uint64_t patience_ns = 1'000'000'000;
}

FailureWatch::FailureWatch(World& world, const Reporter& reporter)
    : world_(world),
      reporter_(reporter),
      control_(*world.transport),
      limit_ns_(static_cast<std::uint64_t>(world.settings.timeout_s) * 500'000'000) {
  if (!is_on()) return;
  others_ = servers_elsewhere(world);
  told_.resize(world.share.workers, WorkerState::alive);
  seen_.resize(world.share.workers);
  is_lost_.resize(world.share.hosts);
}

// All is said by the header: the phase is what has become of a worker or host, the sequence its number.
void FailureWatch::send_all(Phase phase, std::uint64_t number) {
  for (const watch::HostServer& other : others_) {
    if (!is_lost_[static_cast<std::size_t>(other.host)]) send(other.server, phase, number);
  }
}

void FailureWatch::send(TransportRank to, Phase phase, std::uint64_t number) {
  control_.send(to, op::failure_context, number, static_cast<std::uint32_t>(phase), {});
}

void FailureWatch::on_message(TransportRank from, const protocol::ControlHeader& header) {
  if (!is_on()) return;
  const auto phase = static_cast<Phase>(header.phase);
  if (phase == Phase::host_left && header.sequence < world_.share.hosts) {
    world_.failures.note_left(static_cast<std::uint32_t>(header.sequence));
  } else if (phase == Phase::ask) {
    send(from, Phase::answer, static_cast<std::uint64_t>(world_.place.host));
  } else if (phase == Phase::answer && header.sequence == asked_host_) {
    heard_ns_ = world_.os->now_ns();
  } else if (phase == Phase::worker && header.sequence < told_.size()) {
    const auto worker = static_cast<Worker>(header.sequence);
    world_.failures.mark(worker, WorkerState::dead);
    told_[worker] = std::max(told_[worker], WorkerState::dead);  // the sender tells everybody
  } else if (phase == Phase::host_lost && header.sequence < world_.share.hosts) {
    give_up(static_cast<std::uint32_t>(header.sequence));
  }
}

bool FailureWatch::give_up(std::uint32_t host) {
  is_lost_[host] = true;
  world_.failures.note_left(host);  // it will not say so itself
  std::optional<bool> is_first;     // whether this process has marked the host's first worker
  for (Worker worker = 0; worker < told_.size(); ++worker) {
    if (world_.group->place(worker).host != host) continue;
    const bool is_new = world_.failures.mark(worker, WorkerState::lost);
    if (!is_first) is_first = is_new;
    told_[worker] = WorkerState::lost;  // one message tells of all
  }
  return is_first.value_or(true);
}

void FailureWatch::lose(std::uint32_t host) {
  const bool is_first = give_up(host);
  send_all(Phase::host_lost, host);
  if (!is_first) return;
  reporter_.notice("host " + std::to_string(host) + " (" + std::string(world_.group->host_name(host)) +
                   ") does not answer; its workers and their memory are lost (COMEX_ON_FAILURE=continue, "
                   "COMEX_TIMEOUT_S=" +
                   std::to_string(world_.settings.timeout_s) + ")");
}

const watch::HostServer* FailureWatch::next_host() const {
  const watch::HostServer* first = nullptr;
  for (const watch::HostServer& other : others_) {
    if (is_lost_[static_cast<std::size_t>(other.host)]) continue;
    if (other.host > world_.place.host) return &other;
    if (first == nullptr) first = &other;
  }
  return first;
}

void FailureWatch::look_at_next_host() {
  const watch::HostServer* const next = next_host();
  if (next == nullptr) return;
  const auto host = static_cast<std::uint32_t>(next->host);
  const std::uint64_t now = world_.os->now_ns();
  const bool was_away =
      now - asked_ns_ > limit_ns_ / 2;  // this rank itself: whatever has come is not read yet
  if (host != asked_host_ || was_away) heard_ns_ = now;
  // A host whose workers have left or died serves until all others have left, too.
  const bool may_be_silent = world_.failures.left_hosts() == world_.share.hosts;
  if (now - heard_ns_ > limit_ns_ && !may_be_silent) return lose(host);
  if (host == asked_host_ && now - asked_ns_ < limit_ns_ / 8) return;
  asked_host_ = host;
  asked_ns_ = now;
  send(next->server, Phase::ask, 0);
}

bool FailureWatch::may_end() {
  if (!is_on()) return true;
  if (!has_said_left_) {
    has_said_left_ = true;
    left_ns_ = world_.os->now_ns();
    const auto host = static_cast<std::uint32_t>(world_.place.host);
    world_.failures.note_left(host);
    send_all(Phase::host_left, host);
  }
  if (world_.failures.left_hosts() != world_.share.hosts) return false;
  // What was sent to the dead may never leave.
  const bool is_patient = world_.failures.epoch() == 0 || world_.os->now_ns() - left_ns_ < patience_ns;
  return world_.transport->unsent() == 0 || !is_patient;
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
  if (!activity_of(world_, slot).owner.end.replace(0, activity::Owner::has_died)) return;
  const auto worker = static_cast<Worker>(place.worker);
  if (!world_.failures.mark(worker, WorkerState::dead)) return;  // others have given this host up
  reporter_.notice("worker " + std::to_string(worker) + " on " + reporter_.identity().host +
                   " has died; the job goes on without it (COMEX_ON_FAILURE=continue)");
}

bool FailureWatch::relay(Worker worker) {
  const WorkerState state = world_.failures.of(worker);
  if (state > told_[worker] && state == WorkerState::lost) {  // another progress rank has lost its host
    const std::uint32_t host = world_.group->place(worker).host;
    give_up(host);
    send_all(Phase::host_lost, host);
  } else if (state > told_[worker]) {
    told_[worker] = state;
    send_all(Phase::worker, worker);
  }
  const bool is_new = state != WorkerState::alive && !seen_[worker];
  seen_[worker] = state != WorkerState::alive;
  return is_new;
}

}  // namespace comex::runtime
