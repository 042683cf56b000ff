// The user's mutexes: a first-come, first-served queue in shared memory that survives the death of members.
//
// A process joins by one compare-and-swap that writes its identity into the next place. So a process that
// dies at any instruction either never joined or can be recognised as dead. A process that has waited for a
// while asks whether those before it live; the first living one takes over from the dead. No step ever
// blocks, because a server takes them for remote waiters. Used by pr/mutexes and calls/mutex_calls.
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

// The most parties in the queue of one mutex, the holder included. Others join when places become free.
inline constexpr std::uint32_t mutex_places = 128;

// Lies in the owner's extent; zero-filled memory is a free mutex.
//
//   serving          next
//      ▼              ▼
//   [holder][ticket][free]...    place of a ticket = ticket % mutex_places
struct alignas(64) FairMutexBlock {
  std::atomic<std::uint32_t> next;      // the next ticket to give out; may lag behind a place just taken
  std::atomic<std::uint32_t> serving;   // the ticket whose turn it is; waiters sleep on it
  std::atomic<std::uint64_t> holder;    // worker + 1 : 32 | its ticket : 32
  std::atomic<std::uint64_t> asked_ns;  // when a trylock last asked whether the holder lives
  std::atomic<std::uint32_t> sleepers;
  std::atomic<std::uint32_t> bell;  // doorbell slot + 1 of the server that waits for remote parties
  std::uint64_t unused[4];
  std::array<std::atomic<std::uint64_t>, mutex_places>
      places;  // ticket : 32 | endpoint : 14 | flags : 2 | life : 16
};
static_assert(sizeof(FairMutexBlock) == 64 + 8 * mutex_places);
static_assert((mutex_places & (mutex_places - 1)) == 0, "tickets wrap");

struct MutexParty {  // the party for which a step is taken
  Worker worker = 0;
  HostSlot slot = 0;
  bool is_remote = false;  // a server acts for a worker of another host, whose life cannot be checked here
  std::uint32_t endpoint = 0;  // of the worker; only unlock compares it, by its lower 14 bits
};

struct MutexTurn {  // the state of one waiting party
  std::uint32_t ticket = 0;
  bool is_in_line = false;  // false: no place was free so far
};

class FairMutex {
 public:
  FairMutex(Os& os, const Object& object, FairMutexBlock& block, const Doorbells& bells)
      : os_(&os), object_(&object), block_(&block), bells_(bells) {}

  // Takes one step towards the lock. Call it again with the same `turn` until it is not busy: it joins the
  // queue, then enters when the turn comes. `asks`: also check whether the parties ahead live; these are
  // system calls, so not at every step. A party in the queue must not give up.
  LockResult step(MutexTurn& turn, const MutexParty& party, bool asks);
  // Sleeps until it may be the caller's turn. Call it only after a step.
  void sleep(const MutexTurn& turn, std::uint64_t timeout_ns);
  // True if others found the party dead and moved on. Only a server sees this, for a worker of its host.
  bool is_passed_over(const MutexTurn& turn) const;
  void set_bell(HostSlot slot);  // unlock rings this server, which waits; one server per mutex

  // Takes over when all parties in the queue are dead, but checks that at most every 50 ms.
  LockResult try_lock(const MutexParty& party);
  Status unlock(const MutexParty& party);  // refused unless it is the party that holds it
  std::optional<Worker> holder() const;
  // For a worker of another host that has died: if it holds the mutex, the next party takes over from it.
  void declare_dead(Worker worker);
  // After `taken_over`: the worker that died as holder, if known.
  const std::optional<Worker>& dead_holder() const { return dead_holder_; }

 private:
  std::atomic<std::uint64_t>& place_of(std::uint32_t ticket) const;
  bool join(MutexTurn& turn, const MutexParty& party);
  void help(std::uint32_t ticket);
  LockResult try_enter(std::uint32_t ticket, const MutexParty& party);
  LockResult recover(std::uint32_t ticket, const MutexParty& party);
  bool is_dead(std::uint64_t place, std::uint32_t ticket) const;
  LockResult take_over(std::uint32_t serving, std::uint32_t end, const MutexParty& party);

  Os* os_;
  const Object* object_;
  FairMutexBlock* block_;
  Doorbells bells_;
  std::optional<Worker> dead_holder_;
};

}  // namespace comex::shm
