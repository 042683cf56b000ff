#include "shm/locks/fair_mutex.h"

#include <string>

namespace comex::shm {

namespace {

constexpr std::uint64_t life_mask = 0xffffu;
constexpr std::uint64_t taken_flag = 1u << 16;
constexpr std::uint64_t half_done_flag = 1u << 17;  // a dead holder may have left data half updated

constexpr std::uint32_t bit_of(std::uint32_t ticket) {
  return 1u << (ticket % 32);
}

constexpr unsigned endpoint_shift = 18;
constexpr std::uint64_t endpoint_mask = (1u << 14) - 1;

// A life of 0 stands for a worker of another host.
std::uint64_t pack_place(const MutexParty& party, std::uint32_t ticket) {
  return std::uint64_t{ticket} << 32 | (party.endpoint & endpoint_mask) << endpoint_shift | taken_flag |
         (party.is_remote ? 0 : party.slot + 1);
}
constexpr bool is_endpoint_of(std::uint64_t place, const MutexParty& party) {
  return (place >> endpoint_shift & endpoint_mask) == (party.endpoint & endpoint_mask);
}
constexpr bool is_taken(std::uint64_t place, std::uint32_t ticket) {
  return (place & taken_flag) != 0 && place >> 32 == ticket;
}
// True if never used, or left by the ticket one round before. Otherwise `ticket` is out of date.
constexpr bool is_free(std::uint64_t place, std::uint32_t ticket) {
  return place == 0 || is_taken(place, ticket - mutex_places);
}

// The holder word contains the ticket whose turn it is, so unlock is a single store. A holder that dies at
// any instruction leaves a consistent state: its own turn or the next one.
std::uint64_t pack_holder(const MutexParty& party, std::uint32_t ticket) {
  return (std::uint64_t{party.worker} + 1) << 32 | ticket;
}
constexpr bool is_of_turn(std::uint64_t holder, std::uint32_t serving) {
  return holder >> 32 != 0 && static_cast<std::uint32_t>(holder) == serving;
}
constexpr Worker worker_of(std::uint64_t holder) {
  return static_cast<Worker>((holder >> 32) - 1);
}

}  // namespace

std::atomic<std::uint64_t>& FairMutex::place_of(std::uint32_t ticket) const {
  return block_->places[ticket % mutex_places];
}

// Advances `next` after a place was taken. Any process may do this for any other.
void FairMutex::help(std::uint32_t ticket) {
  block_->next.compare_exchange_strong(ticket, ticket + 1);
}

bool FairMutex::join(MutexTurn& turn, const MutexParty& party) {
  while (true) {
    const std::uint32_t ticket = block_->next.load();
    // It is negative if others have come and gone between the two loads: the queue is not full then.
    const auto ahead = static_cast<std::int32_t>(ticket - block_->serving.load());
    if (ahead >= static_cast<std::int32_t>(mutex_places)) return false;
    std::uint64_t place = place_of(ticket).load();
    if (is_taken(place, ticket)) {
      help(ticket);
    } else if (is_free(place, ticket) &&
               place_of(ticket).compare_exchange_strong(place, pack_place(party, ticket))) {
      help(ticket);
      turn = {ticket, true};
      return true;
    }
  }
}

// Uses compare-and-swap, because a server may act here for a worker that has died and lost its turn.
LockResult FairMutex::try_enter(std::uint32_t ticket, const MutexParty& party) {
  if (block_->serving.load() != ticket) return LockResult::busy;
  std::uint64_t holder = block_->holder.load();
  if (place_of(ticket).load() != pack_place(party, ticket)) return LockResult::busy;
  return block_->holder.compare_exchange_strong(holder, pack_holder(party, ticket)) ? LockResult::acquired
                                                                                    : LockResult::busy;
}

bool FairMutex::is_dead(std::uint64_t place, std::uint32_t ticket) const {
  const auto life = static_cast<HostSlot>(place & life_mask);
  return is_taken(place, ticket) && life != 0 && !os_->is_alive(*object_, life - 1);
}

// Takes the place of `serving` if that party and all later ones up to `end` are dead. If several processes
// find them dead, a compare-and-swap on the place decides who is first.
LockResult FairMutex::take_over(std::uint32_t serving, std::uint32_t end, const MutexParty& party) {
  std::uint64_t place = place_of(serving).load();
  for (std::uint32_t ticket = serving; ticket != end; ++ticket) {
    if (!is_dead(place_of(ticket).load(), ticket)) return LockResult::busy;
  }
  // The place was read first. The party is known to be dead now, so it cannot unlock after this check.
  if (block_->serving.load() != serving) return LockResult::busy;
  const std::uint64_t holder = block_->holder.load();
  const bool had_entered = is_of_turn(holder, serving);
  const bool is_half_done = had_entered || (place & half_done_flag) != 0;
  const std::uint64_t mine = pack_place(party, serving) | (is_half_done ? half_done_flag : 0);
  if (!place_of(serving).compare_exchange_strong(place, mine)) return LockResult::busy;
  block_->holder.store(pack_holder(party, serving));
  if (had_entered) dead_holder_ = worker_of(holder);
  return is_half_done ? LockResult::taken_over : LockResult::acquired;
}

// Takes the place of the dead party first, then moves on to the caller's own turn.
LockResult FairMutex::recover(std::uint32_t ticket, const MutexParty& party) {
  const std::uint32_t serving = block_->serving.load();
  const std::uint32_t before_us = ticket - serving;
  if (before_us == 0 || before_us >= mutex_places) return LockResult::busy;
  const LockResult taken = take_over(serving, ticket, party);
  if (taken == LockResult::busy) return taken;
  if (taken == LockResult::taken_over) place_of(ticket).fetch_or(half_done_flag);  // if we die as well
  block_->serving.store(ticket);
  block_->holder.store(pack_holder(party, ticket));
  return taken;
}

LockResult FairMutex::step(MutexTurn& turn, const MutexParty& party, bool asks) {
  if (!turn.is_in_line && !join(turn, party)) return asks ? try_lock(party) : LockResult::busy;
  const LockResult taken = try_enter(turn.ticket, party);
  return taken == LockResult::busy && asks ? recover(turn.ticket, party) : taken;
}

void FairMutex::sleep(const MutexTurn& turn, std::uint64_t timeout_ns) {
  if (!turn.is_in_line) return os_->sleep_ns(timeout_ns);
  block_->sleepers.fetch_add(1);
  const std::uint32_t serving = block_->serving.load();
  if (serving != turn.ticket) {
    static_cast<void>(os_->wait(block_->serving, serving, timeout_ns, bit_of(turn.ticket)));
  }
  block_->sleepers.fetch_sub(1, std::memory_order_relaxed);
}

bool FairMutex::is_passed_over(const MutexTurn& turn) const {
  return turn.is_in_line && static_cast<std::int32_t>(block_->serving.load() - turn.ticket) > 0;
}

void FairMutex::set_bell(HostSlot slot) {
  block_->bell.store(slot + 1);
}

LockResult FairMutex::try_lock(const MutexParty& party) {
  const std::uint32_t serving = block_->serving.load();
  if (block_->next.load() == serving) {
    std::uint64_t place = place_of(serving).load();
    if (is_free(place, serving) &&
        place_of(serving).compare_exchange_strong(place, pack_place(party, serving))) {
      help(serving);
      return try_enter(serving, party);
    }
    if (is_taken(place, serving)) help(serving);
  }
  const std::uint64_t now = os_->now_ns();
  std::uint64_t asked = block_->asked_ns.load(std::memory_order_relaxed);
  if (now - asked < ask_after_ns || !block_->asked_ns.compare_exchange_strong(asked, now))
    return LockResult::busy;
  const std::uint32_t end = block_->next.load();
  return end - serving - 1 < mutex_places ? take_over(serving, end, party) : LockResult::busy;
}

Status FairMutex::unlock(const MutexParty& party) {
  const std::uint32_t serving = block_->serving.load(std::memory_order_relaxed);
  const std::uint64_t holder = block_->holder.load(std::memory_order_acquire);
  if (!is_of_turn(holder, serving)) return caller_error("unlock of a mutex that nobody holds");
  if (worker_of(holder) != party.worker) {
    return caller_error("unlock of a mutex that worker " + std::to_string(worker_of(holder)) + " holds");
  }
  if (!is_endpoint_of(place_of(serving).load(std::memory_order_relaxed), party)) {
    return caller_error("unlock of a mutex that another endpoint of worker " + std::to_string(party.worker) +
                        " holds");
  }
  const std::uint32_t turn = serving + 1;
  block_->serving.store(turn);
  if (block_->sleepers.load() != 0) os_->wake(block_->serving, every_waiter, bit_of(turn));
  const std::uint32_t bell = block_->bell.load();
  if (bell != 0 && block_->next.load() != turn) bells_.of(bell - 1).ring();
  return {};
}

// Gives its place the life of a slot that no process has, so that whoever asks finds it dead.
void FairMutex::declare_dead(Worker worker) {
  const std::uint32_t serving = block_->serving.load();
  std::uint64_t place = place_of(serving).load();
  const std::uint64_t holder = block_->holder.load();
  if (!is_of_turn(holder, serving) || worker_of(holder) != worker) return;
  if (!is_taken(place, serving) || (place & life_mask) != 0) return;
  place_of(serving).compare_exchange_strong(place, place | life_mask);
}

std::optional<Worker> FairMutex::holder() const {
  const std::uint64_t holder = block_->holder.load(std::memory_order_acquire);
  if (!is_of_turn(holder, block_->serving.load(std::memory_order_acquire))) return std::nullopt;
  return worker_of(holder);
}

}  // namespace comex::shm
