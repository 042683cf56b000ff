#include "shm/locks.h"

namespace comex::shm {

namespace {

constexpr int spins = 20;
constexpr int yields = 100;
constexpr std::uint64_t patience_ns = 50'000'000;

constexpr std::uint32_t bit_of(std::uint32_t ticket) {
  return 1u << (ticket % 32);
}

// The ticket in the holder word says whose turn it belongs to: unlock is then one store, and a holder
// that dies at any instruction leaves either its turn or the next one's, never something between.
std::uint64_t pack_holder(const MutexParty& party, std::uint32_t ticket) {
  const std::uint64_t life = party.is_remote ? 0 : party.slot + 1;
  return (std::uint64_t{party.worker} + 1) << 32 | std::uint64_t{ticket & 0xffffu} << 16 | life;
}
constexpr bool is_of_turn(std::uint64_t holder, std::uint32_t serving) {
  return holder != 0 && (holder >> 16 & 0xffffu) == (serving & 0xffffu);
}
constexpr Worker worker_of(std::uint64_t holder) {
  return static_cast<Worker>((holder >> 32) - 1);
}
constexpr HostSlot life_of(std::uint64_t holder) {
  return static_cast<HostSlot>(holder & 0xffffu);
}

}  // namespace

std::uint32_t FairMutex::take_ticket() {
  return block_->next.fetch_add(1, std::memory_order_seq_cst);
}

bool FairMutex::is_mine(std::uint32_t ticket) const {
  return block_->serving.load(std::memory_order_seq_cst) == ticket;
}

Taken FairMutex::try_enter(std::uint32_t ticket, const MutexParty& party) {
  if (!is_mine(ticket)) return Taken::refused;
  block_->holder.store(pack_holder(party, ticket), std::memory_order_release);
  return Taken::clean;
}

void FairMutex::sleep(std::uint32_t ticket, std::uint64_t timeout_ns) {
  block_->sleepers.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t serving = block_->serving.load(std::memory_order_seq_cst);
  if (serving != ticket) static_cast<void>(os_->wait(block_->serving, serving, timeout_ns, bit_of(ticket)));
  block_->sleepers.fetch_sub(1, std::memory_order_relaxed);
}

Taken FairMutex::recover(std::uint32_t ticket, const MutexParty& party) {
  const std::uint32_t serving = block_->serving.load(std::memory_order_seq_cst);
  std::uint64_t holder = block_->holder.load(std::memory_order_acquire);
  if (serving + 1 != ticket || !is_of_turn(holder, serving) || life_of(holder) == 0) return Taken::refused;
  if (os_->is_alive(*object_, life_of(holder) - 1)) return Taken::refused;
  if (!block_->holder.compare_exchange_strong(holder, pack_holder(party, ticket))) return Taken::refused;
  block_->serving.store(ticket, std::memory_order_seq_cst);
  return Taken::recovered;
}

void FairMutex::set_bell(HostSlot slot) {
  block_->bell.store(slot + 1, std::memory_order_seq_cst);
}

bool FairMutex::try_lock(const MutexParty& party) {
  std::uint32_t serving = block_->serving.load(std::memory_order_acquire);
  if (!block_->next.compare_exchange_strong(serving, serving + 1, std::memory_order_seq_cst)) return false;
  return try_enter(serving, party) == Taken::clean;
}

Taken FairMutex::lock(const MutexParty& party) {
  const std::uint32_t ticket = take_ticket();
  for (int i = 0; i < spins && !is_mine(ticket); ++i) cpu_relax();
  for (int i = 0; i < yields && !is_mine(ticket); ++i) os_->yield();
  while (try_enter(ticket, party) == Taken::refused) {
    sleep(ticket, patience_ns);
    if (recover(ticket, party) == Taken::recovered) return Taken::recovered;
  }
  return Taken::clean;
}

Status FairMutex::unlock(const MutexParty& party) {
  const std::uint32_t serving = block_->serving.load(std::memory_order_relaxed);
  const std::uint64_t holder = block_->holder.load(std::memory_order_acquire);
  if (!is_of_turn(holder, serving)) return caller_error("unlock of a mutex that nobody holds");
  if (worker_of(holder) != party.worker) {
    return caller_error("unlock of a mutex that worker " + std::to_string(worker_of(holder)) + " holds");
  }
  const std::uint32_t turn = serving + 1;
  block_->serving.store(turn, std::memory_order_seq_cst);
  if (block_->sleepers.load(std::memory_order_seq_cst) != 0) {
    os_->wake(block_->serving, every_waiter, bit_of(turn));
  }
  const std::uint32_t bell = block_->bell.load(std::memory_order_seq_cst);
  if (bell != 0 && block_->next.load(std::memory_order_seq_cst) != turn) bells_.of(bell - 1).ring();
  return {};
}

bool FairMutex::holder(Worker& worker) const {
  const std::uint64_t holder = block_->holder.load(std::memory_order_acquire);
  if (!is_of_turn(holder, block_->serving.load(std::memory_order_acquire))) return false;
  worker = worker_of(holder);
  return true;
}

}  // namespace comex::shm
