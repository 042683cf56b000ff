// Decides when a progress rank has nobody left to serve on a bridge, while others may stay.
//
// A worker that has left a bridge has no group on it any more, so nobody accesses its memory over it. A
// progress rank is free when the workers of its world and those it serves have left; its world may then end.
// Workers of other worlds tell it that they leave only if all part together or it serves them. Pure;
// BridgeServices calls it as workers leave.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "core/protocol.h"

namespace comex::worlds {

// A worker on the wire, as a progress rank there sees it.
struct WorkerOnWire {
  bool is_of_own_world = false;
  bool is_served_here = false;
  std::optional<protocol::Leaving> left = std::nullopt;
};

enum class ServiceState : unsigned char {
  goes_on,
  is_for_guests,  // its own world has left; it serves guests until they leave too
  ends,           // before the bridge does, or with the last that leaves alone
  parts,          // all have left together
};

inline ServiceState service_for(std::span<const WorkerOnWire> workers) {
  using protocol::Leaving;
  const auto each_has = [&](auto&& holds) { return std::ranges::all_of(workers, holds); };
  if (each_has([](const WorkerOnWire& each) { return each.left == Leaving::together; }))
    return ServiceState::parts;
  // A world that finalizes without parting reports its end when it comes.
  const bool has_gone =
      each_has([](const WorkerOnWire& each) { return !each.is_of_own_world || each.left == Leaving::alone; });
  if (!has_gone) return ServiceState::goes_on;
  const bool is_needed =
      !each_has([](const WorkerOnWire& each) { return !each.is_served_here || each.left.has_value(); });
  return is_needed ? ServiceState::is_for_guests : ServiceState::ends;
}

}  // namespace comex::worlds
