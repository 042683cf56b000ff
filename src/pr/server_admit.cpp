// Receives messages: each is executed at once, queued, kept as early, handed to the mutexes, or refused.
#include <algorithm>
#include <cstring>

#include "pr/server.h"

namespace comex::pr {

using protocol::Verb;

namespace {

protocol::RequestHeader header_in(const MessageCopy& copy) {
  protocol::RequestHeader header;
  std::memcpy(&header, copy.message().data(), sizeof header);
  return header;
}

}  // namespace

void Server::on_message(const transport::Message& message) {
  ++counters_.requests;
  Header header;
  const bool is_whole = message.data.size() >= sizeof header && message.data.size() <= message_bytes_;
  if (!is_whole) {  // its origin cannot be known, so there is no answer
    ++counters_.refused;
    options_.report({message.from, header, {protocol::Refusal::malformed, 0, 0}});
    return;
  }
  std::memcpy(&header, message.data.data(), sizeof header);
  if (handle_uncredited(message.from, header)) return;
  // A pusher may have sent a batch for its origin.
  const TransportRank from = header.verb == Verb::batch ? header.batch_rank() : message.from;
  COMEX_BUG_IF(from < 0 || from >= transport_.size());
  Origin& origin = origin_of(from);
  recheck_credits(origin);
  admit(origin, header);
  if (std::ranges::find(given_up_, from) != given_up_.end()) return;
  if (!origin.is_next(header)) {
    hold(origin, header, message.data);
    return;
  }
  take(origin, header, message.data);
  if (!origin.early.empty()) take_early(origin);
}

// Early messages are kept in order: a pusher may send batches of its origin in any order.
void Server::hold(Origin& origin, const Header& header, std::span<const std::byte> message) {
  const auto ahead = [&](const Header& each) {
    return static_cast<std::int16_t>(each.sequence - origin.last_sequence);
  };
  COMEX_BUG_IF(ahead(header) <= 0);
  const auto is_later = [&](const MessageCopy& copy) { return ahead(header_in(copy)) > ahead(header); };
  origin.early.insert(std::ranges::find_if(origin.early, is_later), MessageCopy(message_bytes_, message));
  ++early_;
  ++counters_.early;
}

void Server::take_early(Origin& origin) {
  while (!origin.early.empty()) {
    MessageCopy& first = origin.early.front();
    const Header header = header_in(first);
    if (!origin.is_next(header)) return;
    const MessageCopy copy = std::move(first);
    origin.early.erase(origin.early.begin());
    --early_;
    take(origin, header, copy.message());
  }
}

// Takes the message whose turn it is.
void Server::take(Origin& origin, const Header& header, std::span<const std::byte> message) {
  origin.last_sequence = header.sequence;
  if (header.call != 0) origin.newest_call = header.call;
  if (protocol::is_write(header.verb)) {
    COMEX_BUG_IF(header.number != origin.last_number + 1);
    if (header.verb != Verb::batch) origin.last_number = header.number;
  }
  begin_event(origin, header);
  if (header.verb == Verb::lock || header.verb == Verb::try_lock) {
    handle_lock(origin, header, message);
  } else if (header.verb == Verb::batch) {
    handle_batch(origin, header, message);
  } else {
    handle(origin, header, message);
  }
  if (event_ != 0) options_.log->end(event_);
  event_ = 0;
}

// It lasts until the request is removed from the queue, if it is queued.
void Server::begin_event(const Origin& origin, const Header& header) {
  if (options_.log == nullptr) return;
  event_ = options_.log->add({.bytes = header.bytes,
                              .peer = origin.rank,
                              .sequence = header.sequence,
                              .what = trace::What::served,
                              .verb = header.verb});
}

// Handles the messages that take no credit and have no place in the order.
bool Server::handle_uncredited(TransportRank from, const Header& header) {
  if (header.verb == Verb::return_credits) {
    const auto known = origins_.find(from);
    if (known == origins_.end()) return true;  // the origin has left meanwhile
    COMEX_BUG_IF(!credits_.return_credits(known->second->account, header.new_limit()));
    recheck_credits(*known->second);
    return true;
  }
  if (header.verb == Verb::leave) {
    Origin& origin = origin_of(from);
    origin.leaving = header.leaving();
    for (ServedWorld& served : served_worlds_) served.mutexes.drop(from);
    recheck_credits(origin);
    return true;
  }
  return false;
}

void Server::admit(Origin& origin, const Header& header) {
  if (header.verb == Verb::batch) ++counters_.batches;
  if (protocol::is_credited(header.verb)) {
    COMEX_BUG_IF(!credits_.admit(origin.account));
    ++counters_.credited;
    counters_.queued_met += counters_.queued;
  } else if (header.verb == Verb::fence) {
    COMEX_BUG_IF(origin.is_reserved_used);
    origin.is_reserved_used = true;
  }
}

void Server::handle_lock(Origin& origin, const Header& header, std::span<const std::byte> message) {
  const Payload payload = read_payload(header, message, limits_);
  mark_applied(origin, header);
  if (const BadAccess fault = check(header, payload)) {
    refuse(origin, header, fault);
    return;
  }
  Mutexes& mutexes = served_world_of(header).mutexes;
  const std::optional<std::uint64_t> mutex = mutexes.find(header);
  if (!mutex) {
    refuse(origin, header, no_such_mutex(header));
  } else if (header.verb == Verb::try_lock) {
    std::optional<Worker> dead;
    const shm::LockResult taken = mutexes.try_lock(header, *mutex, dead);
    if (taken == shm::LockResult::taken_over && options_.recovered) options_.recovered(header, dead);
    const bool is_recovered = taken == shm::LockResult::taken_over;
    reply(origin, header, Verb::done,
          taken == shm::LockResult::busy ? protocol::not_taken : protocol::taken_value(is_recovered));
  } else if (mutexes.lock(origin.rank, header, *mutex)) {
    reply(origin, header, Verb::done, protocol::taken_value(false));
  }
}

void Server::handle(Origin& origin, const Header& header, std::span<const std::byte> message) {
  const Payload payload = read_payload(header, message, limits_);
  const bool is_large = has_chunks(header) && has_chunk_size(header, limits_);
  const bool is_signal = header.verb == Verb::store && (header.flags & protocol::with_signal) != 0;
  if (payload.refusal != protocol::Refusal::none && !is_large && !is_signal) {  // a signal may be void
    mark_applied(origin, header);
    refuse(origin, header, {payload.refusal, header.offset, header.bytes});
    return;
  }
  Progress progress;
  const bool may_start = !is_large && origin.may_start(payload.touches);
  if (may_start && execute({origin, header, payload, progress})) {
    ++counters_.at_once;
    return;
  }
  const EntryList::iterator entry = enqueue(origin, header, payload.touches, message);
  entry->fault = {payload.refusal, header.offset, header.bytes};
  entry->is_large = is_large;
  entry->progress = progress;
  place_queued(origin, entry, may_start);
}

// An entry that met a busy stripe is running already.
void Server::place_queued(Origin& origin, EntryList::iterator entry, bool is_running) {
  entry->is_running = is_running;
  if (is_running) {
    origin.running.push_back(entry);
  } else {
    ++origin.waiting;
    origin.needs_scan = true;
  }
}

EntryList::iterator Server::enqueue(Origin& origin, const Header& header, const Footprint& footprint,
                                    std::span<const std::byte> message) {
  const EntryList::iterator entry = origin.queue.emplace(origin.queue.end());
  entry->header = header;
  entry->footprint = footprint;
  entry->event = event_;
  if (message.size() > sizeof header) entry->copy = MessageCopy(message_bytes_, message);
  if (protocol::is_credited(header.verb)) {
    counters_.queued_peak = std::max(counters_.queued_peak, ++counters_.queued);
  }
  if (!origin.is_active) {
    origin.is_active = true;
    active_.splice(active_.end(), idle_, origins_.at(origin.rank));
  }
  return entry;
}

void Server::note_unqueued(const Entry& entry) {
  if (protocol::is_credited(entry.header.verb)) --counters_.queued;
  if (entry.event != 0) options_.log->end(entry.event);
}

void Server::remove(Origin& origin, EntryList::iterator entry) {
  note_unqueued(*entry);
  origin.queue.erase(entry);
  origin.needs_scan = origin.waiting != 0;
  recheck_credits(origin);
}

}  // namespace comex::pr
