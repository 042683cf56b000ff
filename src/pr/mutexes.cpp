#include "pr/mutexes.h"

#include <algorithm>

namespace comex::pr {
namespace {

constexpr std::uint64_t block_bytes = sizeof(shm::FairMutexBlock);
constexpr std::uint64_t max_mutexes = std::uint64_t{1} << 31;
constexpr std::uint32_t polls_per_question = 1024;  // whether the holder lives is a system call

}  // namespace

std::uint64_t Mutexes::offset_of(const protocol::RequestHeader& header) {
  return header.offset + header.operand * block_bytes;
}

protocol::Refusal Mutexes::check(const protocol::RequestHeader& header) const {
  const bool is_sane = header.operand < max_mutexes && header.offset < INT64_MAX;
  if (!is_sane || header.offset % alignof(shm::FairMutexBlock) != 0) return protocol::Refusal::no_such_mutex;
  const bool is_there =
      arena_.extents().check(header.target, offset_of(header), block_bytes) == shm::Verdict::ok;
  return is_there ? protocol::Refusal::none : protocol::Refusal::no_such_mutex;
}

shm::FairMutex Mutexes::mutex_of(const protocol::RequestHeader& header) const {
  return arena_.mutex_at(offset_of(header));
}

shm::MutexParty Mutexes::party_of(const protocol::RequestHeader& header) const {
  const shm::HostSlot slot = slot_of_ ? slot_of_(header.origin) : no_host_slot;
  if (slot == no_host_slot) return {header.origin, 0, true, header.by.endpoint};
  return {header.origin, slot, false, header.by.endpoint};
}

bool Mutexes::lock(TransportRank from, const protocol::RequestHeader& header) {
  shm::FairMutex mutex = mutex_of(header);
  shm::MutexTurn turn;
  if (mutex.step(turn, party_of(header), false) == shm::Taken::clean) return true;
  mutex.set_bell(arena_.slot());
  waits_.push_back({from, header, turn, 0, false});
  return false;
}

shm::Taken Mutexes::try_lock(const protocol::RequestHeader& header, std::optional<Worker>& dead) {
  shm::FairMutex mutex = mutex_of(header);
  const shm::Taken taken = mutex.try_lock(party_of(header));
  dead = mutex.dead_holder();
  return taken;
}

bool Mutexes::unlock(const protocol::RequestHeader& header) {
  return static_cast<bool>(mutex_of(header).unlock(party_of(header)));
}

unsigned Mutexes::poll(const Granted& granted) {
  unsigned entered = 0;
  for (Wait& wait : waits_) {
    shm::FairMutex mutex = mutex_of(wait.header);
    const shm::MutexParty party = party_of(wait.header);
    const shm::Taken taken = mutex.step(wait.turn, party, ++wait.polls % polls_per_question == 0);
    const bool is_passed_over = taken == shm::Taken::refused && mutex.is_passed_over(wait.turn);
    if (taken == shm::Taken::refused && !is_passed_over) continue;
    if (is_passed_over) {
      // Nobody is there to be told.
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

void Mutexes::drop(TransportRank from) {
  for (Wait& wait : waits_) wait.is_dropped |= wait.from == from;
}

bool Mutexes::has_waiters() const {
  return std::any_of(waits_.begin(), waits_.end(), [](const Wait& wait) { return !wait.is_dropped; });
}

}  // namespace comex::pr
