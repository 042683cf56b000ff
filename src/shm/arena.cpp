#include "shm/arena.h"

#include <algorithm>
#include <cstring>

namespace comex::shm {

namespace {

constexpr std::uint64_t most_ready_bytes = 64 * 1024;  // of the entries of spans: those of 16 GiB

// Only data gets large pages on touch: records and table are touched at scattered places. The entries of
// spans exist, and their first touch would cost allocations a fault.
MapOptions map_options(const ArenaTicket& ticket, std::uint64_t address, bool dump_core) {
  const Geometry& geometry = ticket.geometry;
  return {.bytes = geometry.reservation_bytes,
          .address = address,
          .dump_core = dump_core,
          .large_from = ticket.on_touch != 0 ? geometry.data_offset : 0,
          .ready_from = geometry.spans_offset,
          .ready_bytes = std::min(geometry.fixed_bytes - geometry.spans_offset, most_ready_bytes)};
}

}  // namespace

Status Arena::Body::map(std::uint64_t address) {
  unmap();
  Result<std::byte*> mapped = os->map(object, map_options(ticket, address, dump_core));
  if (!mapped) return mapped.take_failure();
  base = mapped.value();
  Extents::ExtentsSite place;
  place.os = os;
  place.object = &object;
  place.base = base;
  place.block = &reinterpret_cast<ArenaHeader*>(base)->extents;
  place.first_slot = &slot_block(0).memory;
  place.slot_stride = slot_block_bytes;
  place.geometry = ticket.geometry;
  place.slot = slot;
  place.keep_bytes = ticket.keep_bytes;
  place.large_pages = ticket.large_pages != 0;
  place.on_touch = ticket.on_touch != 0;
  extents.emplace(place);
  stripes.emplace(reinterpret_cast<StripeWord*>(base + ticket.geometry.stripes_offset),
                  LockParty{os, &object, slot});
  if (must_format) {
    extents->format();
    const ArenaMap map{ArenaMap::right_magic, ticket.world, ticket.job, ticket.geometry};
    std::memcpy(base + arena_map_offset, &map, sizeof map);
  }
  must_format = false;
  return {};
}

void Arena::Body::unmap() {
  if (base == nullptr) return;
  extents.reset();
  stripes.reset();
  if (os->pid() == pid) os->unmap(base, ticket.geometry.reservation_bytes);
  base = nullptr;
}

namespace {

// A sanitizer leaves fewer addresses than the machine has. The widest range then limits the reservation.
GeometryOptions bounded(GeometryOptions options, const MemoryLimits& limits,
                        const std::vector<AddressRange>& ranges) {
  if (options.reservation_bytes != 0) return options;
  std::uint64_t widest = 0;
  for (const AddressRange& range : ranges) widest = std::max(widest, range.high - range.low);
  options.reservation_bytes = std::min(default_reservation(limits), widest / 2);
  return options;
}

// Describes a refusal by the system in terms of the limit that was met, if a limit was the reason.
Failure refused_arena(Os& os, Backing backing, std::uint64_t bytes, Failure refusal) {
  OutOfMemory out_of_memory = out_of_memory_in(os.memory_limits(backing), 0, bytes);
  if (bytes <= out_of_memory.free_bytes) return refusal;
  out_of_memory.call = std::move(refusal.text);
  return not_enough("this host's arena", bytes, out_of_memory, "");
}

}  // namespace

Result<Arena> Arena::create(Os& os, const ArenaOptions& options) {
  const MemoryLimits limits = os.memory_limits(options.backing);
  Result<Geometry> geometry = decide_geometry(bounded(options.geometry, limits, os.address_ranges()), limits);
  if (!geometry) return geometry.take_failure();
  Result<Object> object = os.create_object(options.backing, options.on_touch && options.large_pages);
  const std::uint64_t first_bytes = Extents::first_bytes(geometry.value());
  if (!object) return refused_arena(os, options.backing, first_bytes, object.take_failure());

  auto body = std::make_unique<Body>();
  body->os = &os;
  body->object = std::move(object).value();
  body->slot = options.slot;
  body->pid = os.pid();
  body->must_format = true;
  body->dump_core = options.dump_core;
  if (Status first = os.extend(body->object, 0, first_bytes); !first) {
    return refused_arena(os, body->object.backing(), first_bytes, first.take_failure());
  }
  const bool on_touch =
      options.on_touch && os.enable_on_touch(body->object, geometry.value().reservation_bytes);
  Result<ObjectName> name = os.name_of(body->object);
  if (!name) return name.take_failure();
  Result<Object> life = os.hold_life(body->object, options.slot);
  if (!life) return life.take_failure();
  body->life = std::move(life).value();

  body->ticket.object = name.value();
  body->ticket.geometry = geometry.value();
  body->ticket.address_seed = os.random_bits();
  body->ticket.keep_bytes = options.keep_bytes;
  body->ticket.large_pages = options.large_pages ? 1 : 0;
  body->ticket.on_touch = on_touch ? 1 : 0;
  body->ticket.world = options.world;
  body->ticket.job = options.job;
  return Arena(std::move(body));
}

Result<Arena> Arena::attach(Os& os, const ArenaTicket& ticket, HostSlot slot, bool dump_core) {
  if (slot >= ticket.geometry.slots) {
    return environment_error("host slot " + std::to_string(slot) + " of an arena for " +
                             std::to_string(ticket.geometry.slots));
  }
  Result<Arena> arena = open(os, ticket, dump_core);
  if (!arena) return arena;
  Body& body = *arena->body_;
  body.slot = slot;
  Result<Object> life = os.hold_life(body.object, slot);
  if (!life) return life.take_failure();
  body.life = std::move(life).value();
  return arena;
}

// The arena is open after this but holds no life in any slot yet.
Result<Arena> Arena::open(Os& os, const ArenaTicket& ticket, bool dump_core) {
  Result<Object> object = os.open_object_of(ticket.object);
  if (!object) return object.take_failure();
  auto body = std::make_unique<Body>();
  body->os = &os;
  body->object = std::move(object).value();
  body->ticket = ticket;
  body->dump_core = dump_core;
  body->pid = os.pid();
  return Arena(std::move(body));
}

// Takes a guest slot by holding its life. The search begins anywhere, so that guests try different slots.
Result<Arena> Arena::attach_guest(Os& os, const ArenaTicket& ticket, bool dump_core) {
  constexpr std::uint32_t attempts = 64;
  Result<Arena> arena = open(os, ticket, dump_core);
  if (!arena) return arena;
  Body& body = *arena->body_;
  const std::uint32_t own = ticket.geometry.slots;
  if (own >= most_slots) return environment_error("the arena has no slots for guests");
  const std::uint64_t first = os.random_bits();
  Result<Object> life = environment_error("");
  for (std::uint32_t attempt = 0; attempt < attempts && !life; ++attempt) {
    body.slot = own + static_cast<HostSlot>((first + attempt) % (most_slots - own));
    life = os.hold_life(body.object, body.slot);
  }
  if (!life) return life.take_failure();
  body.life = std::move(life).value();
  if (Status mapped = arena->map_anywhere(); !mapped) return mapped.take_failure();
  ArenaMap map;
  std::memcpy(&map, body.base + arena_map_offset, sizeof map);
  if (map.magic != ArenaMap::right_magic || map.geometry != ticket.geometry) {
    return environment_error("the arena of world " + std::to_string(ticket.world) +
                             " is not as its ticket says: do both run the same library?");
  }
  return arena;
}

std::uint64_t Arena::candidate(std::uint32_t attempt) const {
  return address_candidate(body_->ticket.address_seed, attempt, body_->ticket.geometry.reservation_bytes,
                           body_->os->address_ranges());
}

Status Arena::map_at(std::uint64_t address) {
  if (address == 0) return environment_error("no address range of this machine has room for the arena");
  return body_->map(address);
}

FairMutex Arena::mutex_at(std::uint64_t offset) {
  return {*body_->os, body_->object, *reinterpret_cast<FairMutexBlock*>(body_->base + offset), doorbells()};
}

}  // namespace comex::shm
