// One shared-memory object per host and world, mapped once by each process of the host, at one address.
//
// The host leader creates it and sends the ticket; the others attach. Then the leader proposes
// addresses (ticket.candidate(n)); all map_at and answer, and if one refuses, all unmap and try the
// next; at last all map_anywhere and same_address() is false. Only after everyone has mapped may the
// accessors be used. The creator formats it when it first maps, so it maps before the others use it.
// Nothing ever has a name in the file system. Processes of other worlds attach as guests, at any address.
// Called by runtime (set-up), op and pr (accessors).
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
  GeometryWish geometry;
  WorldId world = 0;
  HostSlot slot = 0;                        // this process's
  std::uint64_t keep_bytes = keep_a_share;  // freed memory kept for reuse (COMEX_ARENA_KEEP)
  bool on_touch = false;                    // pages come when they are touched, where the system lets them
  bool large_pages = true;                  // where the system has them (COMEX_ARENA_LARGE_PAGES)
  bool dump_core = false;                   // COMEX_CORE=full
};

// Trivially copyable: send it as bytes to every process of the host.
struct ArenaTicket {
  ObjectName object;
  Geometry geometry;
  std::uint64_t address_seed = 0;
  std::uint64_t keep_bytes = 0;
  WorldId world = 0;
  std::uint16_t large_pages = 0;
  std::uint16_t on_touch = 0;
};

class Arena {
 public:
  static Result<Arena> create(Os& os, const ArenaOptions& options);
  static Result<Arena> attach(Os& os, const ArenaTicket& ticket, HostSlot slot, bool dump_core = false);
  // For a process of another world, mapped wherever there is room: it may touch extents, take locks of the
  // memory and ring doorbells, but owns nothing there. Its slot is any guest slot that is free.
  static Result<Arena> attach_guest(Os& os, const ArenaTicket& ticket, bool dump_core = false);

  Arena(Arena&&) noexcept;
  Arena& operator=(Arena&&) noexcept;
  ~Arena();  // unmaps in the process that mapped; a forked child leaves everything alone

  const ArenaTicket& ticket() const;
  std::uint64_t candidate(std::uint32_t attempt) const;  // 0 = no such address on this machine

  Status map_at(std::uint64_t address);
  Status map_anywhere();
  void unmap();
  bool is_mapped() const;
  bool same_address() const;  // a pointer into the arena means the same to every process of the host

  // All of these need a mapped arena.
  std::byte* base() const;
  std::uint64_t reservation_bytes() const;
  const Geometry& geometry() const;
  HostSlot slot() const;
  bool holds(const void* address) const;               // inside the reservation
  std::uint64_t offset_of(const void* address) const;  // of an address that it holds
  std::byte* at(std::uint64_t offset) const;

  Extents& extents();
  Stripes& stripes();
  LockParty lock_party() const;              // for locks that others place in extents or boards
  FairMutex mutex_at(std::uint64_t offset);  // a FairMutexBlock there, zeroed by its owner
  MutexSets mutex_sets() const;              // of the host's own slots, guests have none
  Doorbell doorbell(HostSlot slot);
  Doorbells doorbells();
  HostBarrier host_barrier();                 // members: every slot of the host
  std::span<std::byte> board(HostSlot slot);  // geometry.board_bytes, zero-filled, 64-byte aligned
  std::byte* directory();                     // as many bytes as were wished for, zero-filled, page-aligned
  bool is_alive(HostSlot slot);
  Os& os();

 private:
  struct Body;
  explicit Arena(std::unique_ptr<Body> body);
  static Result<Arena> open(Os& os, const ArenaTicket& ticket, bool dump_core);
  std::unique_ptr<Body> body_;
};

}  // namespace comex::shm
