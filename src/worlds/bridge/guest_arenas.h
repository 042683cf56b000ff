// The arenas of other worlds on this host that this process has attached, once for all bridges.
//
// A failed attachment is also remembered while a bridge that asked for it is open. So all bridges of a
// process agree on whether the memory is mapped, and at which address. Calls happen under the owner's lock
// for opening and closing bridges. Owned by Bridges and by BridgeServices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "core/settings.h"
#include "op/direct.h"
#include "shm/arena.h"

namespace comex::worlds {

struct GuestArena {
  std::optional<shm::Arena> arena;
  std::optional<op::Direct> direct;
  explicit operator bool() const { return arena.has_value(); }
};

class GuestArenas {
 public:
  std::shared_ptr<GuestArena> attach(shm::Os& os, const shm::ArenaTicket& ticket, const Settings& settings) {
    std::weak_ptr<GuestArena>& known = by_cookie_[ticket.object.cookie];
    if (std::shared_ptr<GuestArena> here = known.lock()) return here;
    auto made = std::make_shared<GuestArena>();
    Result<shm::Arena> attached = shm::Arena::attach_guest(os, ticket, settings.core == CoreDump::full);
    if (attached) {
      made->arena.emplace(std::move(attached).value());
      const shm::Arena& guest = *made->arena;
      if (settings.fork == ForkMode::share) os.inherit_on_fork(guest.base(), guest.reservation_bytes());
      made->direct.emplace(*made->arena);
    }
    known = made;
    return made;
  }
  void forget_unused() {
    std::erase_if(by_cookie_, [](const auto& each) { return each.second.expired(); });
  }

 private:
  std::unordered_map<std::uint64_t, std::weak_ptr<GuestArena>> by_cookie_;
};

}  // namespace comex::worlds
