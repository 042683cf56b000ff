// The common part of workers and progress ranks of a bridge: the wire and its rows, the arenas attached for
// it, the transport and, on a rank that serves, a server.
//
// It is made collectively. Each rank takes its own down alone, except for the wire. Used by bridge.cpp and
// bridge_services.cpp.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/settings.h"
#include "op/direct.h"
#include "op/plan.h"
#include "pr/server.h"
#include "runtime/opening/world.h"
#include "shm/arena.h"
#include "transport/mpi_transport.h"
#include "worlds/bridge/bridge.h"
#include "worlds/bridge/bridge_map.h"

namespace comex::worlds {

// The arena of another world on this host. Empty: it could not be attached.
struct GuestArena {
  std::optional<shm::Arena> arena;
  std::optional<op::Direct> direct;
  explicit operator bool() const { return arena.has_value(); }
};

// The guest arenas that this process has attached, once for all bridges.
//
// A failed attachment is also remembered while a bridge that asked for it is open. So all bridges of a
// process agree on whether the memory is mapped, and at which address. Any thread may call. Owned by Bridges
// and by BridgeServices.
class GuestArenas {
 public:
  std::shared_ptr<GuestArena> attach(shm::Os& os, const shm::ArenaTicket& ticket, const Settings& settings) {
    const std::lock_guard lock(mutex_);
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
  void drop_lives_in_child() {  // another thread may have held the lock at the fork
    for (const auto& [cookie, known] : by_cookie_) {
      const std::shared_ptr<GuestArena> guest = known.lock();
      if (guest != nullptr && guest->arena) guest->arena->drop_life_in_child();
    }
  }
  void forget_unused() {
    const std::lock_guard lock(mutex_);
    std::erase_if(by_cookie_, [](const auto& each) { return each.second.expired(); });
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::weak_ptr<GuestArena>> by_cookie_;
};

struct BridgeEndpoint {
  BridgeEndpoint(BridgeFacts its_facts, BridgeMap its_wire)
      : facts(std::move(its_facts)), wire(std::move(its_wire)) {}

  BridgeFacts facts;
  BridgeMap wire;
  TransportRank me = no_rank;
  std::vector<TransportRank> servers;  // by rank: the server of that worker
  // BridgeMap::guest_arenas of this rank; those that could not be attached are empty.
  std::vector<std::pair<TransportRank, std::shared_ptr<GuestArena>>> guests;
  std::unique_ptr<transport::MpiTransport> transport;
  std::unique_ptr<pr::Server> server;            // destroyed before the transport
  ServiceState service = ServiceState::goes_on;  // of a progress rank
  std::size_t departed = 0;                      // the number of leavers when `service` was decided
  BridgeId id = no_bridge;                       // among those of a progress rank
  bool is_in_use_by_mpi = false;                 // it was lost with bodies under way: it is kept to the end

  // The arena of a rank of another world, if this process has mapped it.
  GuestArena* guest_arena(TransportRank of) const;
  // The servers, each once, that this worker tells when it leaves: all, or if others stay the progress ranks
  // of its world and its own server.
  std::set<TransportRank> servers_to_tell(protocol::Leaving how) const;
  op::Sizes sizes(const runtime::World& own) const;  // of messages and bodies on the wire
  // Held where all part, from when no loss is noticed any more.
  TimeLimit limit_of_parting(const runtime::Reporter& reporter) const;
  // Ends what this process has of the bridge, which is not watched any more. Collective over the wire if all
  // part; otherwise this process leaves it to MPI, without the others.
  void end(bool all_part, GuestArenas& of_process, const runtime::Reporter& reporter);
};

// Collective up to the point where everybody may send; start() begins that, and the watch over the links.
std::unique_ptr<BridgeEndpoint> open_endpoint(runtime::World& world, const runtime::Reporter& reporter,
                                              GuestArenas& arenas, BridgeFacts facts);
void start(BridgeEndpoint& point, LifeWatch& watch, BridgeId id);

}  // namespace comex::worlds
