#include "pr/mutexes.h"

#include <algorithm>

namespace comex::pr {
namespace {

constexpr std::uint32_t polls_per_question = 1024;  // asking whether the holder lives is a system call

}  // namespace

// Only workers of this host have a word in the arena: guests and workers of other hosts have none.
shm::HostSlot Mutexes::owner_slot(Worker target) const {
  const shm::HostSlot slot = slot_of_ ? slot_of_(target) : no_host_slot;
  return slot < arena_.geometry().slots ? slot : no_host_slot;
}

std::uint64_t Mutexes::count(Worker target) const {
  const shm::HostSlot owner = owner_slot(target);
  return owner == no_host_slot ? 0 : arena_.mutex_sets().count(owner);
}

std::optional<std::uint64_t> Mutexes::find(const protocol::RequestHeader& header) const {
  const shm::HostSlot owner = owner_slot(header.target);
  std::uint64_t offset = 0;
  if (owner == no_host_slot || !arena_.mutex_sets().find(owner, header.mutex(), offset)) return std::nullopt;
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
  if (mutex.step(turn, party_of(header), false) == shm::Taken::clean) return true;
  mutex.set_bell(arena_.slot());
  waits_.push_back({.from = from, .header = header, .offset = offset, .turn = turn});
  if (stall_.after_ns != 0) waits_.back().since_ns = arena_.os().now_ns();
  return false;
}

shm::Taken Mutexes::try_lock(const protocol::RequestHeader& header, std::uint64_t offset,
                             std::optional<Worker>& dead) {
  shm::FairMutex mutex = arena_.mutex_at(offset);
  const shm::Taken taken = mutex.try_lock(party_of(header));
  dead = mutex.dead_holder();
  return taken;
}

bool Mutexes::unlock(const protocol::RequestHeader& header, std::uint64_t offset) {
  return static_cast<bool>(arena_.mutex_at(offset).unlock(party_of(header)));
}

unsigned Mutexes::poll(const Granted& granted) {
  unsigned entered = 0;
  for (Wait& wait : waits_) {
    shm::FairMutex mutex = arena_.mutex_at(wait.offset);
    const shm::MutexParty party = party_of(wait.header);
    const bool asks = ++wait.polls % polls_per_question == 0;
    if (asks) look_how_long(wait, mutex);
    const shm::Taken taken = mutex.step(wait.turn, party, asks);
    const bool is_passed_over = taken == shm::Taken::refused && mutex.is_passed_over(wait.turn);
    if (taken == shm::Taken::refused && !is_passed_over) continue;
    if (is_passed_over) {
      // The origin has died and gets no answer.
    } else if (wait.is_dropped) {
      static_cast<void>(mutex.unlock(party));
    } else {
      granted(wait, taken == shm::Taken::recovered, mutex.dead_holder());
    }
    wait.from = no_rank;
    ++entered;
  }
  if (entered != 0) std::erase_if(waits_, [](const Wait& wait) { return wait.from == no_rank; });
  return entered;
}

void Mutexes::look_how_long(Wait& wait, const shm::FairMutex& mutex) const {
  if (stall_.after_ns == 0 || wait.is_told || wait.is_dropped) return;
  const std::uint64_t waited_ns = arena_.os().now_ns() - wait.since_ns;
  if (waited_ns < stall_.after_ns) return;
  wait.is_told = true;
  Worker holder = 0;
  const bool is_held = mutex.holder(holder);
  if (stall_.lasts) stall_.lasts(wait.header, is_held ? std::optional(holder) : std::nullopt, waited_ns);
}

void Mutexes::drop(TransportRank from) {
  for (Wait& wait : waits_) wait.is_dropped |= wait.from == from;
}

bool Mutexes::has_waiters() const {
  return std::any_of(waits_.begin(), waits_.end(), [](const Wait& wait) { return !wait.is_dropped; });
}

}  // namespace comex::pr
