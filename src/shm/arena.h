// The shared-memory object of one host and world, which each process of the host maps once, at one address.
//
// The host leader creates it and sends the ticket; the others attach. Then the leader proposes addresses
// (ticket.candidate(n)). All processes call map_at and report; if one refuses, all unmap and try the next. So
// a pointer into the arena is valid in every process of the host. The accessors may be used only after
// everybody has mapped. The creator maps first, because its first mapping formats the arena. The object never
// has a name in the file system. Processes of other worlds attach as guests, at any address. Used by runtime
// (set-up), op and pr.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/ids.h"
#include "core/status.h"
#include "shm/arena_layout.h"
#include "shm/locks/fair_mutex.h"
#include "shm/os.h"

namespace comex::shm {

inline constexpr std::uint32_t address_attempts = 64;

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

  const ArenaTicket& ticket() const { return body_->ticket; }
  std::uint64_t candidate(std::uint32_t attempt) const;  // 0 = no such address on this machine

  Status map_at(std::uint64_t address);
  Status map_anywhere() { return body_->map(0); }
  void unmap() { body_->unmap(); }

  // All functions below need a mapped arena.
  std::byte* base() const { return body_->base; }
  std::uint64_t reservation_bytes() const { return geometry().reservation_bytes; }
  const Geometry& geometry() const { return body_->ticket.geometry; }
  HostSlot slot() const { return body_->slot; }
  // Inside the reservation.
  bool holds(const void* address) const { return offset_of(address) < reservation_bytes(); }
  std::uint64_t offset_of(const void* address) const {  // of an address for which holds() is true
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address) -
                                      reinterpret_cast<std::uintptr_t>(body_->base));
  }
  std::byte* at(std::uint64_t offset) const { return body_->base + offset; }

  Extents& extents() { return *body_->extents; }
  Stripes& stripes() { return *body_->stripes; }
  // For locks that other folders place in extents or boards.
  LockParty lock_party() const { return {body_->os, &body_->object, body_->slot}; }
  FairMutex mutex_at(std::uint64_t offset);  // the FairMutexBlock there, which its owner has zeroed
  // Of one of the host's own slots; guests have no mutexes.
  MutexSetBlock& mutexes_of(HostSlot slot) const { return body_->slot_block(slot).mutexes; }
  Doorbell doorbell(HostSlot slot) { return doorbells().of(slot); }
  Doorbells doorbells() { return {*body_->os, at(geometry().slots_offset), slot_block_bytes}; }
  std::span<std::byte> board(HostSlot slot) {  // geometry.board_bytes, zero-filled, 64-byte aligned
    return {at(geometry().boards_offset + slot * geometry().board_bytes), geometry().board_bytes};
  }
  // Of the requested size, zero-filled, page-aligned.
  std::byte* directory() { return at(geometry().directory_offset); }
  bool is_alive(HostSlot slot) { return body_->os->is_alive(body_->object, slot); }
  // For a forked child, which would hold the life of its parent for as long as it lives itself.
  void drop_life_in_child() { body_->life.close(); }
  Os& os() { return *body_->os; }
  // MPI may have registered pages with a network that went back to the system since; it would move those. Its
  // caches learn nothing of holes in a file, but they watch madvise, so this has them drop those pages.
  // Called before MPI gets memory of the arena; it costs a load while no page has gone back.
  void drop_stale_registrations() {
    const std::uint64_t seen = body_->seen_given_back.load(std::memory_order_acquire);
    if (seen == extents().times_given_back()) [[likely]]
      return;
    body_->seen_given_back.store(extents().find_given_back_anew(seen), std::memory_order_release);
  }

 private:
  // It stays in place, since locks refer to its object.
  struct Body {
    Os* os = nullptr;
    Object object;
    Object life;
    ArenaTicket ticket;
    HostSlot slot = 0;
    std::int32_t pid = 0;    // of the process that made this
    bool dump_core = false;  // each process decides this for itself
    bool must_format = false;
    std::byte* base = nullptr;
    std::optional<Extents> extents;
    std::optional<Stripes> stripes;
    std::atomic<std::uint64_t> seen_given_back{0};

    ~Body() { unmap(); }  // does nothing in a forked child
    SlotBlock& slot_block(HostSlot which) const {
      return *reinterpret_cast<SlotBlock*>(base + ticket.geometry.slots_offset + which * slot_block_bytes);
    }
    Status map(std::uint64_t address);
    void unmap();
  };
  explicit Arena(std::unique_ptr<Body> body) : body_(std::move(body)) {}
  static Result<Arena> open(Os& os, const ArenaTicket& ticket, bool dump_core);
  std::unique_ptr<Body> body_;
};

}  // namespace comex::shm
