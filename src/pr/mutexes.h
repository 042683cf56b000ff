// Keeps the locks that remote workers ask for, from their arrival until each has its turn.
//
// A lock that has to wait leaves the request queue and gives back its credit; its ticket is polled here. If
// the origin leaves, its ticket stays: the lock is taken at its turn and released at once. The tickets of a
// dead worker of this host are passed over by the others. Used by Server.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/ids.h"
#include "core/protocol.h"
#include "shm/arena.h"
#include "shm/locks/mutex_sets.h"

namespace comex::pr {

inline constexpr shm::HostSlot no_host_slot = ~shm::HostSlot{0};

class Mutexes {
 public:
  struct Waiter {
    TransportRank from = no_rank;
    protocol::RequestHeader header;
    std::uint64_t offset = 0;  // of the mutex
    shm::MutexTurn turn;
    std::uint32_t polls = 0;
    bool is_dropped = false;
    std::uint64_t since_ns = 0;
    bool is_told = false;  // a long wait was reported
  };
  // Called for a lock whose turn has come. `dead` is the worker it was recovered from, if that is known.
  using Granted =
      std::function<void(const Waiter& waiter, bool is_recovered, const std::optional<Worker>& dead)>;

  // Called once for a lock that has waited for `after_ns`, with the worker that holds the mutex, if one does.
  using OnLongWait = std::function<void(const protocol::RequestHeader& lock,
                                        const std::optional<Worker>& holder, std::uint64_t waited_ns)>;
  struct Stall {
    std::uint64_t after_ns = 0;  // 0: never
    OnLongWait on_long_wait;
  };

  // The stall has to outlive this object.
  Mutexes(shm::Arena& arena, std::function<shm::HostSlot(Worker)> slot_of, const Stall& stall)
      : arena_(arena), slot_of_(std::move(slot_of)), stall_(stall) {}

  // Only workers of this host have a slot in the arena; for guests and others it is no_host_slot.
  shm::HostSlot owner_slot(Worker target) const;
  // Returns the place in the arena of the target's mutex `header.mutex()`, if there is one.
  std::optional<std::uint64_t> find(const protocol::RequestHeader& header) const;
  std::uint64_t count(Worker target) const;

  // The mutex has been found before. lock() returns true if it was taken at once; else it waits here.
  bool lock(TransportRank from, const protocol::RequestHeader& header, std::uint64_t offset);
  shm::LockResult try_lock(const protocol::RequestHeader& header, std::uint64_t offset,
                           std::optional<Worker>& dead);
  bool unlock(const protocol::RequestHeader& header, std::uint64_t offset);  // false: another worker holds it

  unsigned poll(const Granted& granted);  // returns how many locks were taken
  void drop(TransportRank from);
  // A worker of another host has died: what it holds of these owners' mutexes goes to the next in line.
  void declare_dead(Worker worker, std::span<const shm::HostSlot> owners);
  bool has_waiters() const;  // without the dropped ones
  std::size_t waits() const { return waiters_.size(); }

 private:
  shm::MutexParty party_of(const protocol::RequestHeader& header) const;
  void look_how_long(Waiter& waiter, const shm::FairMutex& mutex) const;

  shm::Arena& arena_;
  std::function<shm::HostSlot(Worker)> slot_of_;
  const Stall& stall_;
  std::vector<Waiter> waiters_;  // in order of arrival
};

}  // namespace comex::pr
