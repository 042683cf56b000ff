#include "worlds/agreement/standing.h"

namespace comex::worlds {
namespace {

// In the mailbox: above the tags of inter-groups.
std::uint64_t sequence_of(Place place) {
  constexpr std::uint64_t first = std::uint64_t{1} << 32;
  return place == Place::call ? first : first + 1;
}

}  // namespace

bool is_reached_over(const runtime::Runtime& runtime, BridgeId way, Lpid lpid) {
  return way == no_bridge || runtime.is_own(lpid) || runtime.bridges.peers.leads(way, lpid);
}

Setbacks::Said::Kind Standing::kind() const {
  using Said = Setbacks::Said;
  if (digest == 0) return trouble.kind == FoundingTrouble::refused ? Said::refused : Said::nothing;
  return trouble.kind == FoundingTrouble::none ? Said::waits : Said::gave_up;
}

void stand_before(const Route& route, const Setbacks::Pair& pair, const Standing& standing) {
  if (route.control == nullptr) return;
  const Place place = Setbacks::is_setback(standing.kind()) ? Place::setback : Place::call;
  route.control->send(route.rank, op::mailbox_context, sequence_of(place), pair.my_endpoint,
                      std::as_bytes(std::span(&standing, 1)));
}

bool look_at_standing(const Route& route, const Setbacks::Pair& pair, Place place, Standing& standing) {
  return route.control != nullptr &&
         route.control->look(route.rank, op::mailbox_context, sequence_of(place), pair.other_endpoint,
                             std::as_writable_bytes(std::span(&standing, 1)));
}

bool take_standing(const Route& route, const Setbacks::Pair& pair, Place place, Standing& standing) {
  return route.control->take(route.rank, op::mailbox_context, sequence_of(place), pair.other_endpoint,
                             std::as_writable_bytes(std::span(&standing, 1)));
}

void take_back_setback(runtime::Runtime& runtime, const Setbacks::Pair& pair, Lpid other,
                       std::uint64_t call) {
  Standing nothing;
  nothing.call = call;
  nothing.number = runtime.meetings.setbacks.next(pair);
  for (const BridgeId way : runtime.meetings.setbacks.take_back(pair)) {
    if (is_reached_over(runtime, way, other)) stand_before(route_to(runtime, way, other), pair, nothing);
  }
}

bool is_serial(const runtime::Runtime& runtime) {
  return !runtime.world->has_threads && runtime.endpoints_made.load() == 0;
}

}  // namespace comex::worlds
