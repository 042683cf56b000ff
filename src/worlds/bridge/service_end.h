// When a server on a bridge has nobody left to serve there, while others may stay.
//
// Who has left a bridge has no group on it any more, so nobody asks for its memory over it. A progress rank
// whose world has left, and whom it serves, is needed by nobody; its world may end. Workers of other worlds
// tell it of their leaving only where all part together or it serves them. Pure; asked by BridgeServices as
// workers leave.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "core/protocol.h"

namespace comex::worlds {

// A worker on the wire, as one of the progress ranks there sees it.
struct WorkerOnWire {
  bool is_of_own_world = false;
  bool is_served_here = false;
  std::optional<protocol::Leaving> left = std::nullopt;
};

enum class Service : unsigned char {
  goes_on,
  is_for_guests,  // of other worlds: its own has left, and waits with its end until they have
  ends,           // before the bridge does, or with the last who leaves it alone
  parts,          // all have left together
};

inline Service service_for(std::span<const WorkerOnWire> workers) {
  using protocol::Leaving;
  const auto each_has = [&](auto&& holds) { return std::ranges::all_of(workers, holds); };
  if (each_has([](const WorkerOnWire& each) { return each.left == Leaving::together; }))
    return Service::parts;
  // Of a world that finalizes without parting, the end is told when it comes.
  const bool has_gone =
      each_has([](const WorkerOnWire& each) { return !each.is_of_own_world || each.left == Leaving::alone; });
  if (!has_gone) return Service::goes_on;
  const bool is_needed =
      !each_has([](const WorkerOnWire& each) { return !each.is_served_here || each.left.has_value(); });
  return is_needed ? Service::is_for_guests : Service::ends;
}

}  // namespace comex::worlds
