#include "worlds/bridge/services.h"

#include <algorithm>
#include <utility>

#include "runtime/opening/outboxes.h"
#include "runtime/opening/server_options.h"

namespace comex::worlds {
// With other hosts in the world nobody rings for their messages: naps are bounded then.
Services::Services(runtime::World& world, runtime::Reporter& reporter)
    : world_(world),
      reporter_(reporter),
      workers_(world.share.host_workers().size()),
      may_sleep_(world.share.hosts == 1),
      server_(runtime::make_server(world, reporter)),
      pusher_(runtime::make_pusher(world)),
      meter_(*world.os, world.settings.verbose),
      idle_(*world.os, world.wait_policy, world.arena->doorbell(world.arena->slot())) {
  const WaitMode mode = world.wait_policy.mode;
  const bool naps = mode == WaitMode::automatic || mode == WaitMode::sleep;
  if (!naps || !world.spans_machines || !world.settings.watch_sockets) return;
  auto watch = shm::SocketWatch::make(*world.os, world.arena->doorbell(world.arena->slot()));
  if (watch != nullptr) watched_naps_.emplace(std::move(watch), world.wait_policy.nap_max_ns);
}

Services::~Services() {
  for (const auto& point : points_) {
    drop(*point);
    point->facts.wire.forget();
  }
}

unsigned Services::serve(transport::Transport& transport, MPI_Comm wire, pr::Server& server) {
  constexpr unsigned messages_a_round = 64;
  unsigned moved = 0;
  bool is_more = true;
  transport::Message message;
  while (moved < messages_a_round && (is_more = transport.receive(message))) {
    if (message.data.front() == static_cast<std::byte>(protocol::Verb::control)) {
      progress_calls_.on_message(transport, wire, message);
    } else {
      server.on_message(message);
    }
    ++moved;
  }
  if (!is_more) server.on_all_taken();
  const std::uint64_t chunks = server.counters().chunks;
  moved += server.advance();
  transport.flush();
  if (server.counters().chunks != chunks) idle_.give_way();
  return moved;
}

unsigned Services::round() {
  meter_.begin_round();
  unsigned moved = serve(*world_.transport, world_.wire.get(), *server_);
  if (progress_calls_.obey(*this)) ++moved;
  if (!points_.empty()) moved += serve_bridges();
  meter_.end_round(moved != 0);
  pusher_.advance();
  return moved;
}

// Nobody on the other side waits for an answer any more, nor will they leave.
void Services::drop_lost() {
  for (const MPI_Comm wire : progress_calls_.take_lost()) {
    const auto found =
        std::ranges::find(points_, wire, [](const auto& point) { return point->facts.wire.get(); });
    if (found == points_.end()) continue;
    (*found)->transport->abandon();
    drop(**found);
    (*found)->abandon_wire();
    points_.erase(found);
    progress_calls_.forget(wire);
  }
}

Service Services::service_on(const MeetingPoint& point) const {
  std::vector<WorkerOnWire> workers;
  for (const TransportRank rank : point.wire.workers()) {
    workers.push_back({point.wire.row(rank).world == world_.id,
                       point.servers[static_cast<std::size_t>(rank)] == point.me,
                       point.server->departed(rank)});
  }
  return service_for(workers);
}

bool Services::has_ended(MeetingPoint& point) {
  if (point.departed != point.server->departed()) {
    point.departed = point.server->departed();
    point.service = service_on(point);
  }
  return point.service == Service::parts || point.service == Service::ends;
}

bool Services::may_end() const {
  return std::ranges::none_of(points_,
                              [](const auto& point) { return point->service == Service::is_for_guests; });
}

unsigned Services::serve_bridges() {
  unsigned moved = 0;
  drop_lost();
  for (std::size_t i = 0; i < points_.size();) {
    MeetingPoint& point = *points_[i];
    moved += serve(*point.transport, point.facts.wire.get(), *point.server);
    if (!has_ended(point)) {
      ++i;
      continue;
    }
    const MPI_Comm wire = point.facts.wire.get();
    drop(point);
    if (point.service == Service::parts) {
      point.release_wire();
    } else {
      point.abandon_wire();
    }
    progress_calls_.forget(wire);
    points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(i));
    ++moved;
  }
  return moved;
}

bool Services::only_messages_bring_work() const {
  return points_.empty() && server_->quiet() && world_.transport->unsent() == 0 && world_.bell->is_drained();
}

void Services::rest_after(unsigned moved) {
  const std::uint64_t push_in_ns = pusher_.due_in();
  const bool would_nap = moved == 0 && idle_.would_nap();
  const std::uint64_t kept_ns = would_nap ? world_.arena->extents().give_back_unused() : shm::forever_ns;
  if (watched_naps_) {
    const std::uint64_t messages = world_.bell->from_elsewhere();
    const bool may_watch = moved == 0 && push_in_ns == shm::forever_ns && only_messages_bring_work();
    if (may_watch && watched_naps_->step(idle_, messages, kept_ns)) return;
    watched_naps_->leave(messages);
  }
  if (moved != 0) {
    idle_.reset();
  } else if (push_in_ns != shm::forever_ns && would_nap) {
    idle_.sleep(push_in_ns);
  } else if (may_sleep_ && would_nap && only_messages_bring_work()) {
    idle_.sleep(kept_ns);
  } else {
    idle_.pause();
  }
}

void Services::join(std::unique_ptr<MeetingPoint> point) {
  points_.push_back(std::move(point));
}

void Services::drop(MeetingPoint& point) {
  point.server.reset();
  point.transport.reset();
  point.arenas.clear();
  arenas_.forget_unused();
}

Status open_bridge(Services& services, BridgeFacts facts) {
  auto point = meet(services.world(), services.reporter(), services.arenas(), std::move(facts));
  const MeetingPoint& here = *point;
  services.join(std::move(point));
  start(here);
  return {};
}

}  // namespace comex::worlds
