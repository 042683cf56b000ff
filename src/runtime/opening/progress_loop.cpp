#include "runtime/opening/progress_loop.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "pr/service_report.h"
#include "runtime/environment.h"
#include "runtime/opening/boards.h"
#include "runtime/opening/launch.h"
#include "runtime/opening/server_options.h"
#include "runtime/statistics.h"

namespace comex::runtime {

// If the world has other hosts, their messages ring no doorbell, so naps are bounded.
ProgressLoop::ProgressLoop(World& world, Reporter& reporter, const WorldJoiner& joiner)
    : world_(world),
      reporter_(reporter),
      workers_(world.share.host_workers().size()),
      may_sleep_(world.share.hosts == 1),
      mirroring_(mirroring_site(world)),
      server_(make_server(world, reporter, &mirroring_.rounds())),
      pusher_(make_pusher(world)),
      meter_(*world.os, world.settings.verbose || counts_statistics(world.settings)),
      watch_(world, reporter),
      failures_(world, reporter),
      idle_(*world.os, world.wait_policy, world.arena->doorbell(world.arena->slot())),
      bridges_(joiner.on_progress_rank(*this)) {}

unsigned ProgressLoop::serve(transport::Transport& transport, MPI_Comm wire, pr::Server& server) {
  constexpr unsigned messages_a_round = 64;
  unsigned moved = 0;
  transport::Message message;
  while (moved < messages_a_round && transport.receive(message)) {
    COMEX_BUG_IF(message.data.empty());
    const auto verb = static_cast<protocol::Verb>(message.data.front());
    const bool is_own_wire = &transport == world_.transport.get();
    if (protocol::is_reply(verb) && is_own_wire) {
      mirroring_.on_reply(message);
    } else if (verb == protocol::Verb::control) {
      if (!is_own_wire || !take_control(message)) bridges_->on_control(transport, wire, message);
    } else {
      server.on_message(message);
    }
    ++moved;
  }
  const std::uint64_t chunks = server.counters().chunks;
  moved += server.advance();
  transport.flush();
  if (server.counters().chunks != chunks) idle_.give_way();
  return moved;
}

bool ProgressLoop::take_control(const transport::Message& message) {
  protocol::ControlHeader header;
  if (message.data.size() < sizeof header) return false;
  std::memcpy(&header, message.data.data(), sizeof header);
  if (header.context == op::watch_context) {
    watch_.on_message(message, header.phase);
  } else if (header.context == op::failure_context) {
    failures_.on_message(message.from, header);
  } else {
    return false;
  }
  return true;
}

unsigned ProgressLoop::round() {
  meter_.begin_round();
  unsigned moved = serve(*world_.transport, world_.wire.get(), *server_);
  moved += mirroring_.advance();
  moved += bridges_->advance();
  meter_.end_round(moved != 0);
  const bool is_due = ++rounds_ % rounds_a_record == 0;
  if (is_due) give_back_between_rounds();
  if (moved == 0 || is_due) {
    record_service(world_.activity, *server_, meter_.busy_ns(), *world_.os);
    watch_.advance();
    look_at_failures();
  }
  pusher_.advance();
  return moved;
}

// Where waits never nap, or there is always work. A step takes long, so most of the time stays for requests.
void ProgressLoop::give_back_between_rounds() {
  constexpr std::uint64_t share_of_the_time = 20;
  const std::uint64_t begin_ns = world_.os->now_ns();
  if (begin_ns < next_give_back_ns_) return;
  const std::uint64_t next_in_ns = world_.arena->extents().give_back_unused();
  const std::uint64_t end_ns = world_.os->now_ns();
  next_give_back_ns_ = end_ns + std::max(next_in_ns, share_of_the_time * (end_ns - begin_ns));
}

void ProgressLoop::look_at_failures() {
  failures_.advance([this](int rank) { return server_->departed(rank).has_value(); },
                    [this](Worker dead) {
                      const groups::WorkerPlace& place = world_.group->place(dead);
                      if (place.host != static_cast<std::uint32_t>(world_.place.host))
                        server_->forget_dead(place.rank, dead, served_slots());
                    });
  if (world_.failures.epoch() == seen_failures_) return;
  seen_failures_ = world_.failures.epoch();
  bridges_->part_after_death(world_.failures.dead_workers());
  for (Worker worker = 0; worker < world_.group->size(); ++worker) {
    if (world_.failures.of(worker) != groups::WorkerState::lost) continue;
    const groups::WorkerPlace& place = world_.group->place(worker);
    if (std::ranges::find(lost_servers_, place.server) != lost_servers_.end()) continue;
    lost_servers_.push_back(place.server);
    watch_.forget(place.server);
    server_->give_up(place.server);  // it may be writing to mirrors
    if (mirroring_.lose(place.server)) {
      reporter_.notice("host " + std::to_string(place.host) + " (" +
                       std::string(world_.group->host_name(place.host)) +
                       ") had mirrors of kept memory of this host; they are gone until comex_recover");
    }
  }
}

std::vector<shm::HostSlot> ProgressLoop::served_slots() const {
  std::vector<shm::HostSlot> slots;
  for (Worker worker = 0; worker < world_.group->size(); ++worker) {
    const groups::WorkerPlace& place = world_.group->place(worker);
    if (place.server == world_.transport->rank()) slots.push_back(place.slot);
  }
  return slots;
}

bool ProgressLoop::none_is_left() const {
  return std::ranges::all_of(world_.share.host_workers(), [this](int rank) {
    return server_->departed(rank).has_value() || failures_.is_gone(rank);
  });
}

bool ProgressLoop::only_messages_bring_work() const {
  return !bridges_->has_bridges() && server_->quiet() && world_.transport->unsent() == 0 &&
         world_.doorbells->is_drained();
}

void ProgressLoop::rest_after(unsigned moved) {
  const std::uint64_t push_in_ns = pusher_.due_in();
  const bool would_nap = moved == 0 && idle_.would_nap();
  std::uint64_t kept_ns = would_nap ? world_.arena->extents().give_back_unused() : shm::forever_ns;
  if (failures_.is_on()) kept_ns = std::min(kept_ns, FailureWatch::between_looks_ns);
  if (moved != 0) {
    idle_.reset();
  } else if (push_in_ns != shm::forever_ns && would_nap) {
    // Messages of other hosts ring no doorbell.
    const bool is_woken = may_sleep_ && only_messages_bring_work();
    idle_.sleep(is_woken ? push_in_ns : std::min(push_in_ns, world_.wait_policy.nap_max_ns));
  } else if (may_sleep_ && would_nap && only_messages_bring_work()) {
    idle_.sleep(kept_ns);
  } else {
    idle_.pause();
  }
}

void ProgressLoop::tell_of_service() const {
  if (!world_.settings.verbose) return;
  const pr::Host& host = world_.own_host();
  const pr::ServiceTotals service{server_->counters(),
                                  pusher_.counters(),
                                  meter_.busy_ns(),
                                  meter_.total_ns(),
                                  static_cast<std::uint32_t>(host.progress_ranks.size()),
                                  static_cast<std::uint32_t>(host.ranks.size())};
  reporter_.notice("progress rank " + std::to_string(world_.wire.rank()) + " " + pr::service_text(service));
}

void serve(World& world, Reporter& reporter, const WorldJoiner& joiner) {
  // A server that yields inside MPI answers a time slice late. The old value is restored for a caller that
  // gets this rank back.
  const mpi::YieldScope none_while_serving(mpi_in_use().yield_switch(), false);
  ProgressLoop loop(world, reporter, joiner);
  loop.run([&loop] { return loop.all_have_left() && loop.may_end(); });
  loop.tell_of_service();
  write_trace(world, reporter);
}

}  // namespace comex::runtime
