#include "worlds/bridge/bridge_services.h"

#include <algorithm>
#include <utility>

namespace comex::worlds {

BridgeServices::~BridgeServices() {
  for (const auto& point : points_)
    point->end(false, arenas_, loop_.reporter());  // the links tell the other side
}

unsigned BridgeServices::advance() {
  unsigned moved = 0;
  if (const auto order = progress_calls_.take_order()) {
    ++moved;
    Result<BridgeFacts> facts = join_sides(loop_.world(), loop_.reporter(), order->wire, order->roster);
    // Without them, the worker that leads reports why.
    if (facts) open_bridge(std::move(facts).value());
  }
  if (!points_.empty()) moved += serve_bridges();
  return moved;
}

// Drops lost bridges: nobody on the other side waits for an answer, and nobody there will leave.
void BridgeServices::drop_lost() {
  for (const EndedLink& end : watch_.take_ended()) {
    std::erase_if(points_, [&](Point& point) {
      if (point->id != end.bridge) return false;
      point->is_in_use_by_mpi = point->transport->abandon();
      leave(point, false);
      return true;
    });
  }
}

void BridgeServices::leave(Point& point, bool all_part) {
  progress_calls_.forget(point->facts.wire.get());
  watch_.end(point->id, all_part);
  point->end(all_part, arenas_, loop_.reporter());
  if (point->is_in_use_by_mpi) abandoned_.push_back(std::move(point));
}

void BridgeServices::part_after_death(std::uint32_t dead_workers) {
  watch_.break_all(dead_workers);
  runtime::World& own = loop_.world();
  std::vector<TransportRank> dead;
  for (Worker worker = 0; worker < own.group->size(); ++worker) {
    if (own.failures.of(worker) != groups::WorkerState::alive) dead.push_back(own.group->place(worker).rank);
  }
  progress_calls_.forget_dead(own.wire.get(), std::move(dead));
}

ServiceState BridgeServices::service_on(const BridgeEndpoint& point) const {
  std::vector<WorkerOnWire> workers;
  for (const TransportRank rank : point.wire.workers()) {
    workers.push_back({point.wire.row(rank).world == loop_.world().id,
                       point.servers[static_cast<std::size_t>(rank)] == point.me,
                       point.server->departed(rank)});
  }
  return service_for(workers);
}

bool BridgeServices::has_ended(BridgeEndpoint& point) {
  if (point.departed != point.server->departed()) {
    point.departed = point.server->departed();
    point.service = service_on(point);
    if (point.server->has_any_left(protocol::Leaving::together))
      watch_.end(point.id, true);  // all have met to part
  }
  return point.service == ServiceState::parts || point.service == ServiceState::ends;
}

bool BridgeServices::may_end() const {
  return std::ranges::none_of(
      points_, [](const auto& point) { return point->service == ServiceState::is_for_guests; });
}

unsigned BridgeServices::serve_bridges() {
  unsigned moved = 0;
  drop_lost();
  for (const Point& point : points_)
    moved += loop_.serve(*point->transport, point->facts.wire.get(), *point->server);
  moved += static_cast<unsigned>(std::erase_if(points_, [this](Point& point) {
    if (!has_ended(*point)) return false;
    leave(point, point->service == ServiceState::parts);
    return true;
  }));
  return moved;
}

void BridgeServices::open_bridge(BridgeFacts facts) {
  points_.push_back(open_endpoint(loop_.world(), loop_.reporter(), arenas_, std::move(facts)));
  points_.back()->id = ++last_bridge_;
  start(*points_.back(), watch_, last_bridge_);
}

}  // namespace comex::worlds
