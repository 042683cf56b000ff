// The user's mutexes on behalf of remote workers: who waits for which, and when it is their turn.
//
// A queued lock has left the request queue and holds no credit; it is a ticket here, polled. A
// waiter whose origin left cannot give its ticket back, so it enters and leaves when its turn comes; one
// of this host that died is passed over by the others.
// Used by Server.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/ids.h"
#include "core/protocol.h"
#include "shm/arena.h"
#include "shm/locks/mutex_sets.h"

namespace comex::pr {

inline constexpr shm::HostSlot no_host_slot = ~shm::HostSlot{0};

class Mutexes {
 public:
  struct Wait {
    TransportRank from = no_rank;
    protocol::RequestHeader header;
    std::uint64_t offset = 0;  // of the mutex
    shm::MutexTurn turn;
    std::uint32_t polls = 0;
    bool is_dropped = false;
    std::uint64_t since_ns = 0;
    bool is_told = false;  // that it lasts
  };
  // Called for a lock whose turn has come; `dead`: who it was recovered from, where that is known.
  using Granted = std::function<void(const Wait& wait, bool is_recovered, const std::optional<Worker>& dead)>;

  // Called once for a lock that has waited for `after_ns`, with the worker that holds the mutex, if one does.
  using Lasts = std::function<void(const protocol::RequestHeader& lock, const std::optional<Worker>& holder,
                                   std::uint64_t waited_ns)>;
  struct Stall {
    std::uint64_t after_ns = 0;  // 0: never
    Lasts lasts;
  };

  // The stall outlives it.
  Mutexes(shm::Arena& arena, std::function<shm::HostSlot(Worker)> slot_of, const Stall& stall)
      : arena_(arena), slot_of_(std::move(slot_of)), stall_(stall) {}

  // The mutex of number `header.mutex()` of the target: where it lies in the arena, if there is one.
  std::optional<std::uint64_t> find(const protocol::RequestHeader& header) const;
  std::uint64_t count(Worker target) const;

  // Of a mutex that was found. lock: true when taken at once; else it waits here.
  bool lock(TransportRank from, const protocol::RequestHeader& header, std::uint64_t offset);
  shm::Taken try_lock(const protocol::RequestHeader& header, std::uint64_t offset,
                      std::optional<Worker>& dead);
  bool unlock(const protocol::RequestHeader& header, std::uint64_t offset);  // false: somebody else's

  unsigned poll(const Granted& granted);  // returns how many entered
  void drop(TransportRank from);
  bool has_waiters() const;  // dropped ones aside
  std::size_t waits() const { return waits_.size(); }

 private:
  shm::HostSlot owner_slot(Worker target) const;
  shm::MutexParty party_of(const protocol::RequestHeader& header) const;
  void look_how_long(Wait& wait, const shm::FairMutex& mutex) const;

  shm::Arena& arena_;
  std::function<shm::HostSlot(Worker)> slot_of_;
  const Stall& stall_;
  std::vector<Wait> waits_;  // in order of arrival
};

}  // namespace comex::pr
