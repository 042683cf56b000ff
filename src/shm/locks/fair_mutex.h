// The user's mutexes: a queue in shared memory, first come, first served, that survives its dead.
//
// Standing in line is one compare-and-swap that writes who it is into the next place, so a process
// that dies at any instruction either never stood there or can be told from the living. Whoever has
// waited for a while asks whether those before it live; the first of the living takes over from the
// dead. All in steps that never block: a server takes them on behalf of remote waiters.
// Used by pr/mutexes and calls/mutex_calls.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "core/ids.h"
#include "core/status.h"
#include "shm/doorbell.h"
#include "shm/locks/locks.h"
#include "shm/os.h"

namespace comex::shm {

// Who stand in line at one mutex, the holder included; those beyond come in as places get free.
inline constexpr std::uint32_t mutex_places = 128;

// In the owner's extent; zero-filled memory is a free mutex.
//
//   serving          next
//      ▼              ▼
//   [holder][ticket][free]...    place of a ticket = ticket % mutex_places
struct alignas(64) FairMutexBlock {
  std::atomic<std::uint32_t> next;      // the ticket to be had; may lag behind a place just taken
  std::atomic<std::uint32_t> serving;   // the ticket whose turn it is; waiters sleep on it
  std::atomic<std::uint64_t> holder;    // worker + 1 : 32 | its ticket : 32
  std::atomic<std::uint64_t> asked_ns;  // when a trylock last asked whether the holder lives
  std::atomic<std::uint32_t> sleepers;
  std::atomic<std::uint32_t> bell;  // doorbell slot + 1 of the server that waits for others
  std::uint64_t unused[4];
  std::array<std::atomic<std::uint64_t>, mutex_places>
      places;  // ticket : 32 | endpoint : 14 | flags : 2 | life : 16
};
static_assert(sizeof(FairMutexBlock) == 64 + 8 * mutex_places);
static_assert((mutex_places & (mutex_places - 1)) == 0, "tickets wrap");

struct MutexParty {  // on whose behalf
  Worker worker = 0;
  HostSlot slot = 0;
  bool is_remote = false;      // a server acts for a worker of another host, whose life cannot be seen here
  std::uint32_t endpoint = 0;  // of the worker; told apart by its lower 14 bits, which only unlock looks at
};

struct MutexTurn {  // of one who waits
  std::uint32_t ticket = 0;
  bool is_in_line = false;  // false: no place was free so far
};

class FairMutex {
 public:
  FairMutex(Os& os, const Object& object, FairMutexBlock& block, const Doorbells& bells)
      : os_(&os), object_(&object), block_(&block), bells_(bells) {}

  // One step towards the lock, again and again with the same `turn` until it is not refused: stands
  // in line, enters when the turn has come. `asks`: also asks whether those before us live, by system
  // calls, so not at every step. Nobody who stands in line may give up.
  Taken step(MutexTurn& turn, const MutexParty& party, bool asks);
  // Sleeps until it may be our turn. Only after a step.
  void sleep(const MutexTurn& turn, std::uint64_t timeout_ns);
  // Others took us for dead, rightly: only a server sees this, about a worker of its host.
  bool is_passed_over(const MutexTurn& turn) const;
  void set_bell(HostSlot slot);  // a server waits: unlock rings it. One server per mutex.

  // Takes over when all in line are dead, but asks no oftener than every 50 ms.
  Taken try_lock(const MutexParty& party);
  Status unlock(const MutexParty& party);  // refused unless it is the party that holds it
  bool holder(Worker& worker) const;       // false = nobody
  // After `recovered`: who died with it, if it is known.
  const std::optional<Worker>& dead_holder() const { return dead_holder_; }

 private:
  std::atomic<std::uint64_t>& place_of(std::uint32_t ticket) const;
  bool join(MutexTurn& turn, const MutexParty& party);
  void help(std::uint32_t ticket);
  Taken try_enter(std::uint32_t ticket, const MutexParty& party);
  Taken recover(std::uint32_t ticket, const MutexParty& party);
  bool is_dead(std::uint64_t place, std::uint32_t ticket) const;
  Taken take_over(std::uint32_t serving, std::uint32_t end, const MutexParty& party);

  Os* os_;
  const Object* object_;
  FairMutexBlock* block_;
  Doorbells bells_;
  std::optional<Worker> dead_holder_;
};

}  // namespace comex::shm
