#include "pr/server.h"

#include <algorithm>

namespace comex::pr {
namespace {

// The least pieces have memory of every origin elsewhere (core/pieces.h), and use the pool beyond it only.
StagingPool::Limits staging_limits(const ServerOptions& options, std::uint32_t piece) {
  const std::uint64_t pool = std::max<std::uint64_t>(1, options.staging_bytes / piece);
  return {.pool = static_cast<std::uint32_t>(pool), .one_is_certain = !fits_in_message_copy(piece)};
}

}  // namespace

Server::Server(transport::Transport& transport, shm::Arena& arena, ServerOptions options)
    : transport_(transport),
      options_(std::move(options)),
      limits_{options_.chunk_bytes,
              piece_bytes(options_.chunk_bytes, static_cast<std::uint64_t>(transport.size()),
                          options_.staging_reserve)},
      message_bytes_(message_limit(limits_.piece_bytes)),
      credits_(pool_credits(), options_.max_window),
      staging_(limits_.piece_bytes, staging_limits(options_, limits_.piece_bytes)) {
  add_world(options_.world, arena, options_.slot_of);
}

void Server::add_world(WorldId world, shm::Arena& arena, std::function<shm::HostSlot(Worker)> slot_of) {
  COMEX_BUG_IF(find_served(world) != nullptr);
  served_worlds_.push_back({world, TransferPlace{transport_, arena, staging_, options_.recovered},
                            Mutexes(arena, std::move(slot_of), options_.stall)});
}

Server::ServedWorld* Server::find_served(WorldId world) {
  for (ServedWorld& served : served_worlds_) {
    if (served.world == world) return &served;
  }
  return nullptr;
}

// The request must not have been refused for its world.
Server::ServedWorld& Server::served_world_of(const Header& header) {
  ServedWorld* const served = find_served(header.world);
  COMEX_BUG_IF(served == nullptr);
  return *served;
}

Origin& Server::origin_of(TransportRank rank) {
  const auto known = origins_.find(rank);
  if (known != origins_.end()) return *known->second;
  idle_.emplace_back(rank, credits_.open(rank));
  origins_.emplace(rank, std::prev(idle_.end()));
  counters_.queue_bound = std::max(counters_.queue_bound, pool_credits() + origins_.size());
  return idle_.back();
}

// Has the credits of an origin looked at when the pass ends.
void Server::recheck_credits(Origin& origin) {
  if (origin.is_touched) return;
  origin.is_touched = true;
  touched_.push_back(&origin);
}

unsigned Server::advance() {
  unsigned moved = 0;
  for (ServedWorld& served : served_worlds_) {
    moved += served.mutexes.poll([this](const Mutexes::Waiter& waiter, bool is_recovered,
                                        const std::optional<Worker>& dead) {
      if (is_recovered && options_.recovered) options_.recovered(waiter.header, dead);
      reply(origin_of(waiter.from), waiter.header, protocol::Verb::done, protocol::taken_value(is_recovered));
    });
  }
  std::uint64_t room = options_.chunk_bytes;  // a pass moves no more, because new messages come first
  for (std::size_t turns = active_.size(); turns != 0 && room != 0; --turns) {
    const auto origin = active_.begin();
    active_.splice(active_.end(), active_, origin);
    if (origin->needs_scan) start_waiting(*origin, moved);
    step_running(*origin, moved, room);
    if (origin->queue.empty()) {
      origin->is_active = false;
      idle_.splice(idle_.end(), active_, origin);
    }
  }
  end_pass(moved);
  return moved;
}

// One pass in order is enough: an entry depends on earlier ones only.
void Server::start_waiting(Origin& origin, unsigned& moved) {
  origin.needs_scan = false;
  for (auto entry = origin.queue.begin(); entry != origin.queue.end() && origin.waiting != 0;) {
    const auto here = entry++;
    if (here->is_running || !origin.may_start(here->footprint, here)) continue;
    --origin.waiting;
    ++moved;
    here->is_running = true;
    if (here->is_large) {
      start_transfer(origin, *here);
    } else if (step_small(origin, *here)) {
      remove(origin, here);
      continue;
    }
    origin.running.push_back(here);
  }
}

// Takes one step of each running entry, from where the last pass stopped, while `room` bytes of chunks last.
void Server::step_running(Origin& origin, unsigned& moved, std::uint64_t& room) {
  for (std::size_t turns = origin.running.size(); turns != 0 && room != 0; --turns) {
    if (origin.turn >= origin.running.size()) origin.turn = 0;
    const EntryList::iterator entry = origin.running[origin.turn];
    const std::uint64_t chunk_bytes = entry->header.chunk_bytes;
    TransferStep step = TransferStep::nothing;
    bool is_done = false;
    if (entry->transfer) {
      step = entry->transfer->step();
      is_done = entry->transfer->is_done();
      if (is_done) finish_transfer(origin, *entry);
    } else {
      is_done = step_small(origin, *entry);
      if (is_done) step = TransferStep::moved;
    }
    if (step != TransferStep::nothing) ++moved;
    if (is_done) {
      origin.running.erase(origin.running.begin() + static_cast<std::ptrdiff_t>(origin.turn));
      remove(origin, entry);
    } else {
      ++origin.turn;
    }
    if (step == TransferStep::chunk) {
      ++counters_.chunks;
      room = room < 2 * chunk_bytes ? 0 : room - chunk_bytes;
    }
  }
}

bool Server::step_small(Origin& origin, Entry& entry) {
  if (entry.header.verb == protocol::Verb::batch) return run_batch(origin, batch_of(entry));
  const Payload payload = read_payload(entry.header, entry.message(), limits_);
  return execute({origin, entry.header, payload, entry.progress});
}

void Server::end_pass(unsigned& moved) {
  for (Origin* origin : touched_) {
    origin->is_touched = false;
    if (origin->leaving && origin->queue.empty() && origin->early.empty()) {
      forget(*origin);
      ++moved;
    } else if (credits_.owes(origin->account)) {
      reply(*origin, {}, protocol::Verb::credit);
      ++moved;
    }
  }
  touched_.clear();
  if (const Credits::Account* idle = credits_.pick_idle()) {
    reply(origin_of(idle->rank), {}, protocol::Verb::recall_credits);
    ++moved;
  }
}

void Server::forget(Origin& origin) {
  const auto known = origins_.find(origin.rank);
  credits_.close(origin.account);
  departed_.emplace(origin.rank, *origin.leaving);
  idle_.erase(known->second);
  origins_.erase(known);
}

void Server::give_up(TransportRank rank) {
  given_up_.push_back(rank);
  const auto known = origins_.find(rank);
  if (known == origins_.end()) return;
  Origin& origin = *known->second;
  while (!origin.queue.empty()) {
    const EntryList::iterator entry = origin.queue.begin();
    note_unqueued(*entry);
    const bool is_free = !entry->transfer || entry->transfer->give_up();
    if (is_free) {
      origin.queue.erase(entry);
    } else {
      lost_.splice(lost_.end(), origin.queue, entry);
    }
  }
  origin.running.clear();
  origin.waiting = 0;
  early_ -= static_cast<unsigned>(origin.early.size());
  origin.early.clear();
  recheck_credits(origin);
}

void Server::forget_dead(TransportRank origin, Worker worker, std::span<const shm::HostSlot> owners) {
  give_up(origin);
  Mutexes& mutexes = served_worlds_.front().mutexes;
  mutexes.drop(origin);
  mutexes.declare_dead(worker, owners);
}

std::optional<protocol::Leaving> Server::departed(TransportRank origin) const {
  const auto known = departed_.find(origin);
  return known == departed_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<Server::OldestRequest> Server::oldest_request(std::size_t origin) const {
  if (origin >= active_.size()) return std::nullopt;
  const Origin& found = *std::next(active_.begin(), static_cast<std::ptrdiff_t>(origin));
  if (found.queue.empty()) return std::nullopt;
  const Entry& head = found.queue.front();
  using enum activity::Obstacle;
  const activity::Obstacle obstacle = !head.is_running                            ? order
                                      : head.transfer                             ? head.transfer->obstacle()
                                      : head.header.verb == protocol::Verb::fence ? mirror
                                                                                  : lock;
  return OldestRequest{found.rank, &head.header, obstacle};
}

bool Server::quiet() const {
  return active_.empty() && touched_.empty() && early_ == 0 &&
         std::ranges::none_of(served_worlds_,
                              [](const ServedWorld& served) { return served.mutexes.has_waiters(); });
}

}  // namespace comex::pr
