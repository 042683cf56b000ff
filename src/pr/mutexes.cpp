#include "pr/mutexes.h"

#include <algorithm>

namespace comex::pr {
namespace {

// Checking whether the holder lives is a system call. A server with nothing else to do naps between polls.
constexpr std::uint32_t polls_per_question = 64;

}  // namespace

shm::HostSlot Mutexes::owner_slot(Worker target) const {
  const shm::HostSlot slot = slot_of_ ? slot_of_(target) : no_host_slot;
  return slot < arena_.geometry().slots ? slot : no_host_slot;
}

std::uint64_t Mutexes::count(Worker target) const {
  const shm::HostSlot owner = owner_slot(target);
  return owner == no_host_slot ? 0 : arena_.mutexes_of(owner).mutexes();
}

std::optional<std::uint64_t> Mutexes::find(const protocol::RequestHeader& header) const {
  const shm::HostSlot owner = owner_slot(header.target);
  std::uint64_t offset = 0;
  if (owner == no_host_slot || !arena_.mutexes_of(owner).find(header.mutex(), offset)) return std::nullopt;
  const bool is_there =
      arena_.extents().check(header.target, offset, sizeof(shm::FairMutexBlock)) == shm::BoundsVerdict::ok;
  return is_there ? std::optional(offset) : std::nullopt;
}

shm::MutexParty Mutexes::party_of(const protocol::RequestHeader& header) const {
  const shm::HostSlot slot = slot_of_ ? slot_of_(header.origin) : no_host_slot;
  if (slot == no_host_slot) return {header.origin, 0, true, header.by.endpoint};
  return {header.origin, slot, false, header.by.endpoint};
}

bool Mutexes::lock(TransportRank from, const protocol::RequestHeader& header, std::uint64_t offset) {
  shm::FairMutex mutex = arena_.mutex_at(offset);
  shm::MutexTurn turn;
  if (mutex.step(turn, party_of(header), false) == shm::LockResult::acquired) return true;
  mutex.set_bell(arena_.slot());
  waiters_.push_back({.from = from, .header = header, .offset = offset, .turn = turn});
  if (stall_.after_ns != 0) waiters_.back().since_ns = arena_.os().now_ns();
  return false;
}

shm::LockResult Mutexes::try_lock(const protocol::RequestHeader& header, std::uint64_t offset,
                                  std::optional<Worker>& dead) {
  shm::FairMutex mutex = arena_.mutex_at(offset);
  const shm::LockResult taken = mutex.try_lock(party_of(header));
  dead = mutex.dead_holder();
  return taken;
}

bool Mutexes::unlock(const protocol::RequestHeader& header, std::uint64_t offset) {
  return static_cast<bool>(arena_.mutex_at(offset).unlock(party_of(header)));
}

unsigned Mutexes::poll(const Granted& granted) {
  unsigned entered = 0;
  for (Waiter& waiter : waiters_) {
    shm::FairMutex mutex = arena_.mutex_at(waiter.offset);
    const shm::MutexParty party = party_of(waiter.header);
    const bool asks = ++waiter.polls % polls_per_question == 0;
    if (asks) look_how_long(waiter, mutex);
    const shm::LockResult taken = mutex.step(waiter.turn, party, asks);
    const bool is_passed_over = taken == shm::LockResult::busy && mutex.is_passed_over(waiter.turn);
    if (taken == shm::LockResult::busy && !is_passed_over) continue;
    if (is_passed_over) {
      // The origin has died and gets no answer.
    } else if (waiter.is_dropped && taken == shm::LockResult::taken_over) {
      mutex.declare_dead(waiter.header.origin);  // the next one that lives is told
    } else if (waiter.is_dropped) {
      static_cast<void>(mutex.unlock(party));
    } else {
      granted(waiter, taken == shm::LockResult::taken_over, mutex.dead_holder());
    }
    waiter.from = no_rank;
    ++entered;
  }
  if (entered != 0) std::erase_if(waiters_, [](const Waiter& waiter) { return waiter.from == no_rank; });
  return entered;
}

void Mutexes::look_how_long(Waiter& waiter, const shm::FairMutex& mutex) const {
  if (stall_.after_ns == 0 || waiter.is_told || waiter.is_dropped) return;
  const std::uint64_t waited_ns = arena_.os().now_ns() - waiter.since_ns;
  if (waited_ns < stall_.after_ns) return;
  waiter.is_told = true;
  if (stall_.on_long_wait) stall_.on_long_wait(waiter.header, mutex.holder(), waited_ns);
}

void Mutexes::drop(TransportRank from) {
  for (Waiter& waiter : waiters_) waiter.is_dropped |= waiter.from == from;
}

void Mutexes::declare_dead(Worker worker, std::span<const shm::HostSlot> owners) {
  for (const shm::HostSlot owner : owners) {
    std::uint64_t offset = 0;
    for (std::uint64_t index = 0; arena_.mutexes_of(owner).find(index, offset); ++index)
      arena_.mutex_at(offset).declare_dead(worker);
  }
}

bool Mutexes::has_waiters() const {
  return std::any_of(waiters_.begin(), waiters_.end(),
                     [](const Waiter& waiter) { return !waiter.is_dropped; });
}

}  // namespace comex::pr
