// The shared-memory object of one host and world, which each process of the host maps once, at one address.
//
// The host leader creates it and sends the ticket; the others attach. Then the leader proposes addresses
// (ticket.candidate(n)). All processes call map_at and report; if one refuses, all unmap and try the next. If
// none is left, all call map_anywhere and same_address() is false. The accessors may be used only after
// everybody has mapped. The creator maps first, because its first mapping formats the arena. The object never
// has a name in the file system. Processes of other worlds attach as guests, at any address. Used by runtime
// (set-up), op and pr.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/ids.h"
#include "core/status.h"
#include "shm/doorbell.h"
#include "shm/extents.h"
#include "shm/geometry.h"
#include "shm/locks/barrier.h"
#include "shm/locks/fair_mutex.h"
#include "shm/locks/locks.h"
#include "shm/locks/mutex_sets.h"
#include "shm/os.h"

namespace comex::shm {

inline constexpr std::uint32_t address_attempts = 8;

struct ArenaOptions {
  Backing backing = Backing::automatic;
  GeometryOptions geometry;
  WorldId world = 0;
  std::uint64_t job = 0;                    // drawn at random, for those who watch the job
  HostSlot slot = 0;                        // this process's
  std::uint64_t keep_bytes = keep_a_share;  // freed memory kept for reuse (COMEX_ARENA_KEEP)
  bool on_touch = false;    // allocate pages when they are touched, where the system allows it
  bool large_pages = true;  // use large pages, where the system has them (COMEX_ARENA_LARGE_PAGES)
  bool dump_core = false;   // COMEX_CORE=full
};

// A trivially copyable value, sent as bytes to every process of the host.
struct ArenaTicket {
  ObjectName object;
  Geometry geometry;
  std::uint64_t address_seed = 0;
  std::uint64_t keep_bytes = 0;
  std::uint64_t job = 0;
  WorldId world = 0;
  std::uint16_t large_pages = 0;
  std::uint16_t on_touch = 0;
};

class Arena {
 public:
  static Result<Arena> create(Os& os, const ArenaOptions& options);
  static Result<Arena> attach(Os& os, const ArenaTicket& ticket, HostSlot slot, bool dump_core = false);
  // Attaches a process of another world, at any free address. It may access extents, take locks of the
  // memory and ring doorbells, but it owns nothing in the arena. It gets any free guest slot.
  static Result<Arena> attach_guest(Os& os, const ArenaTicket& ticket, bool dump_core = false);

  Arena(Arena&&) noexcept;
  Arena& operator=(Arena&&) noexcept;
  ~Arena();  // unmaps in the process that mapped; does nothing in a forked child

  const ArenaTicket& ticket() const;
  std::uint64_t candidate(std::uint32_t attempt) const;  // 0 = no such address on this machine

  Status map_at(std::uint64_t address);
  Status map_anywhere();
  void unmap();
  bool is_mapped() const;
  bool same_address() const;  // true if a pointer into the arena is valid in every process of the host

  // All functions below need a mapped arena.
  std::byte* base() const;
  std::uint64_t reservation_bytes() const;
  const Geometry& geometry() const;
  HostSlot slot() const;
  bool holds(const void* address) const;               // inside the reservation
  std::uint64_t offset_of(const void* address) const;  // of an address for which holds() is true
  std::byte* at(std::uint64_t offset) const;

  Extents& extents();
  Stripes& stripes();
  LockParty lock_party() const;              // for locks that other folders place in extents or boards
  FairMutex mutex_at(std::uint64_t offset);  // the FairMutexBlock there, which its owner has zeroed
  MutexSets mutex_sets() const;              // covers the host's own slots; guests have no mutexes
  Doorbell doorbell(HostSlot slot);
  Doorbells doorbells();
  HostBarrier host_barrier();                 // members: every slot of the host
  std::span<std::byte> board(HostSlot slot);  // geometry.board_bytes, zero-filled, 64-byte aligned
  std::byte* directory();                     // of the requested size, zero-filled, page-aligned
  bool is_alive(HostSlot slot);
  // For a forked child, which would hold the life of its parent for as long as it lives itself.
  void drop_life_in_child();
  Os& os();

 private:
  struct Body;
  explicit Arena(std::unique_ptr<Body> body);
  static Result<Arena> open(Os& os, const ArenaTicket& ticket, bool dump_core);
  std::unique_ptr<Body> body_;
};

}  // namespace comex::shm
