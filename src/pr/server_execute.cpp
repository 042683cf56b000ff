// Executes inline requests in one go, and starts and ends large ones.
#include <atomic>

#include "kernels/atomics.h"
#include "kernels/copy.h"
#include "pr/server.h"
#include "shm/locks/block_locks.h"

namespace comex::pr {

using protocol::Refusal;
using protocol::Verb;

// All that the request touches, the word of its signal too, must lie in extents of its target now.
BadAccess Server::check(const Header& header, const Payload& payload) {
  if (payload.refusal != Refusal::none) return {payload.refusal, header.offset, header.bytes};
  const ServedWorld* const served = find_served(header.world);
  if (served == nullptr) return {Refusal::unknown_world, header.offset, header.bytes};
  const shm::Extents& extents = served->arena().extents();
  const BadAccess fault = check_data(extents, header, payload);
  if (fault || !payload.signal) return fault;
  const std::uint64_t word = *payload.signal;
  if (word % sizeof word != 0) return {Refusal::misaligned, word, sizeof word};
  return {refusal_of(extents.check(header.target, word, sizeof word)), word, sizeof word};
}

BadAccess Server::check_data(const shm::Extents& extents, const Header& header, const Payload& payload) {
  if (payload.offsets == nullptr) {
    const std::uint64_t bytes = payload.touches.high - payload.touches.low;
    if (bytes == 0) return {};
    return {refusal_of(extents.check(header.target, payload.touches.low, bytes)), payload.touches.low, bytes};
  }
  for (std::uint64_t i = 0; i < payload.segments && payload.segment_bytes != 0; ++i) {
    const std::uint64_t offset = payload.offset_of_segment(i);
    const shm::BoundsVerdict verdict = extents.check(header.target, offset, payload.segment_bytes);
    if (verdict != shm::BoundsVerdict::ok) return {refusal_of(verdict), offset, payload.segment_bytes};
  }
  return {};
}

// The request has taken effect: replies that follow say so.
void Server::mark_applied(const InlineRequest& small) {
  small.progress.is_finished = true;
  mark_applied(small.origin, small.header);
}

void Server::mark_applied(Origin& origin, const Header& header) {
  if (protocol::is_credited(header.verb)) {
    credits_.finish(origin.account);
  } else {
    origin.is_reserved_used = false;
  }
}

bool Server::may_write_kept(const Header& header) {
  const bool is_write = header.verb == Verb::put || header.verb == Verb::acc || header.verb == Verb::rmw ||
                        header.verb == Verb::store;
  return is_write && served_world_of(header).arena().extents().has_mirrored();
}

// Writes to kept memory go to the mirrors later, and the next fence of the origin waits for that.
void Server::note_written(Origin& origin, const shm::Extents& extents, std::uint64_t offset,
                          std::uint64_t bytes) {
  if (extents.note_written(offset, bytes) && options_.mirrors != nullptr) origin.is_unmirrored = true;
}

void Server::note_written(Origin& origin, const Header& header, const Payload& payload) {
  if (!may_write_kept(header)) [[likely]]
    return;
  const bool is_data = header.verb == Verb::put || header.verb == Verb::acc;
  const shm::Extents& extents = served_world_of(header).arena().extents();
  if (!is_data) {
    note_written(origin, extents, payload.touches.low, payload.touches.high - payload.touches.low);
  } else if (payload.offsets == nullptr) {
    for_each_far_run(payload.patch, [&](std::uint64_t at, std::uint64_t bytes) {
      note_written(origin, extents, payload.touches.low + at, bytes);
    });
  } else {
    for (std::uint64_t i = 0; i < payload.segments; ++i)
      note_written(origin, extents, payload.offset_of_segment(i), payload.segment_bytes);
  }
}

// The first call for a fence asks that the mirrors get what was written before it. True once they have it.
bool Server::ask_for_mirrors_once(const InlineRequest& fence) {
  std::uint64_t& ticket = fence.progress.mirror_ticket;
  if (ticket == 0) {
    const bool has_mirrors = fence.origin.is_unmirrored || (fence.header.flags & protocol::with_mirrors) != 0;
    if (!has_mirrors || options_.mirrors == nullptr) return true;
    ticket = options_.mirrors->ask();
    fence.origin.is_unmirrored = false;
    fence.origin.awaits_mirrors = true;
  }
  if (!options_.mirrors->is_over(ticket)) return false;
  fence.origin.awaits_mirrors = false;
  return true;
}

// Returns false if a stripe is busy, or mirrors are awaited: the request is tried again later.
bool Server::execute(const InlineRequest& small) {
  const Header& header = small.header;
  if (header.verb == Verb::store && small.origin.is_void(header)) {
    mark_applied(small);
    return true;
  }
  BadAccess fault;
  if (small.progress.worked == 0) fault = check(header, small.payload);
  if (!fault && header.verb == Verb::release) fault = release(header);
  if (fault) {
    mark_applied(small);
    refuse(small.origin, header, fault);
    return true;
  }
  std::uint64_t value = 0;
  switch (header.verb) {
    case Verb::put:
      put(small);
      break;
    case Verb::acc:
      if (!accumulate(small)) return false;
      break;
    case Verb::rmw:
      value = kernels::modify({header.atomic, header.bytes, header.argument(), small.payload.desired},
                              served_world_of(header).arena().at(header.offset));
      break;
    case Verb::store:
      store(header);
      break;
    case Verb::fence:
      if (!ask_for_mirrors_once(small)) return false;
      break;
    default:
      break;
  }
  note_written(small.origin, header, small.payload);
  mark_applied(small);
  if (header.verb == Verb::get) reply_data(small);
  if (header.verb == Verb::rmw) reply(small.origin, header, Verb::data, value);
  const bool wants_answer = header.verb == Verb::release && header.slot != protocol::no_slot;
  if (header.verb == Verb::fence || wants_answer) reply(small.origin, header, Verb::done);
  return true;
}

void Server::put(const InlineRequest& small) {
  const Payload& payload = small.payload;
  if (small.header.bytes == 0) return;
  const shm::Arena& arena = served_world_of(small.header).arena();
  if (payload.offsets == nullptr && payload.patch.contiguous()) {
    kernels::copy_bytes(arena.at(payload.touches.low), payload.body, small.header.bytes);
  } else {
    far_side(payload, arena.base()).scatter(payload.body, small.header.bytes);
  }
  std::atomic_thread_fence(std::memory_order_release);
}

void Server::store(const Header& header) {
  const ServedWorld& served = served_world_of(header);
  kernels::publish(header.value(), (header.flags & protocol::adds) != 0, served.arena().at(header.offset));
  const shm::HostSlot slot = served.mutexes.owner_slot(header.target);
  if (slot != no_host_slot) served.arena().doorbell(slot).ring();
}

BadAccess Server::release(const Header& header) {
  Mutexes& mutexes = served_world_of(header).mutexes;
  const std::optional<std::uint64_t> mutex = mutexes.find(header);
  if (!mutex) return no_such_mutex(header);
  return mutexes.unlock(header, *mutex) ? BadAccess{} : BadAccess{Refusal::not_the_holder, *mutex, 0};
}

BadAccess Server::no_such_mutex(const Header& header) {
  return {Refusal::no_such_mutex, 0, served_world_of(header).mutexes.count(header.target)};
}

bool Server::accumulate(const InlineRequest& small) {
  const std::uint64_t bytes = small.header.bytes;
  if (bytes == 0) return true;
  shm::Arena& arena = served_world_of(small.header).arena();
  shm::BlockLocks locks(arena.stripes());
  locks.ask_for_life(is_time_to_ask(small.progress.busy_tries));
  const kernels::Accumulation accumulation =
      kernels::make_accumulation(small.header.scalar, small.payload.scale, small.header.combine());
  kernels::PackedSide far = far_side(small.payload, arena.base());
  far.skip(small.progress.worked);
  Progress& progress = small.progress;
  const std::byte* const rest = small.payload.body + progress.worked;
  progress.worked +=
      static_cast<std::uint32_t>(far.try_accumulate(locks, accumulation, rest, bytes - progress.worked));
  if (locks.is_recovered() && options_.recovered) options_.recovered(small.header, {});
  if (small.progress.worked == bytes) return true;
  ++small.progress.busy_tries;
  return false;
}

void Server::start_transfer(Origin& origin, Entry& entry) {
  const Payload payload = read_payload(entry.header, entry.message(), limits_);
  const ServedWorld* const served = find_served(entry.header.world);
  if (!entry.fault) entry.fault = check(entry.header, payload);
  const TransferMethod method = entry.fault                            ? TransferMethod::refused
                                : needs_staging(entry.header, payload) ? TransferMethod::staged
                                                                       : TransferMethod::in_place;
  // If no world here is meant, the body is received and dropped, so any place will do.
  const TransferPlace& place = (served != nullptr ? *served : served_worlds_.front()).place;
  std::byte* const own_buffer =
      fits_in_message_copy(limits_.piece_bytes) ? entry.copy.space_before() : nullptr;
  const TransferPeer peer{origin.rank, origin.staging, own_buffer};
  entry.transfer = std::make_unique<BodyTransfer>(place, peer, method, entry.header, payload);
}

void Server::finish_transfer(Origin& origin, Entry& entry) {
  entry.progress.is_finished = true;
  if (!entry.fault && may_write_kept(entry.header)) {
    note_written(origin, entry.header, read_payload(entry.header, entry.message(), limits_));
  }
  mark_applied(origin, entry.header);
  if (entry.fault) refuse(origin, entry.header, entry.fault);
}

}  // namespace comex::pr
