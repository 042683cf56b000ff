#include "nb/handle_table.h"

namespace comex::nb {
namespace {

constexpr std::uint32_t probes = 8;

}  // namespace

HandleTable::HandleTable() : chunks_(std::make_unique<std::atomic<Slot*>[]>(max_chunks)) {
  grow();
}

HandleTable::~HandleTable() {
  for (std::uint32_t i = 0; i < max_chunks; ++i) delete[] chunks_[i].load(std::memory_order_relaxed);
}

HandleTable::Slot& HandleTable::slot(std::uint32_t index) const {
  Slot* chunk = chunks_[index / chunk_slots].load(std::memory_order_acquire);
  return chunk[index % chunk_slots];
}

bool HandleTable::grow() {
  const std::uint32_t size = size_.load(std::memory_order_relaxed);
  if (size >= max_slots) return false;
  const std::uint32_t chunk = size / chunk_slots;
  chunks_[chunk].store(new Slot[chunk_slots], std::memory_order_release);
  size_.store((chunk + 1) * chunk_slots, std::memory_order_release);
  return true;
}

bool HandleTable::reusable(const Slot& candidate) const {
  return candidate.completion.done() && !candidate.completion.failed() &&
         candidate.generation.load(std::memory_order_relaxed) < last_generation;
}

// Searches a few steps from where the last search ended for a slot whose work is done; 0: none.
std::uint32_t HandleTable::next_reusable() {
  for (std::uint32_t probe = 0; probe < probes; ++probe, ++hand_) {
    if (hand_ >= fresh_) {
      while (oldest_live_ < fresh_ && slot(oldest_live_).completion.done() &&
             slot(oldest_live_).generation.load(std::memory_order_relaxed) == last_generation)
        ++oldest_live_;
      hand_ = oldest_live_;
      if (hand_ >= fresh_) return 0;
    }
    if (reusable(slot(hand_))) return hand_++;
  }
  return 0;
}

// The table has its largest size and a short search found no slot: retired slots begin again, and all are
// searched.
void HandleTable::start_over() {
  wrapped_.store(true, std::memory_order_release);
  oldest_live_ = hand_ = 1;
  for (std::uint32_t i = 1; i < fresh_; ++i) {
    Slot& old = slot(i);
    if (old.completion.done() && !old.completion.failed() &&
        old.generation.load(std::memory_order_relaxed) == last_generation)
      old.generation.store(0, std::memory_order_release);
  }
}

int HandleTable::issue() {
  const std::lock_guard hold(mutex_);
  // The first chunk is used up before any slot is reused, so that old handles stay recognisable for long.
  std::uint32_t index = fresh_ < chunk_slots ? 0 : next_reusable();
  if (index == 0 && (fresh_ < size_.load(std::memory_order_relaxed) || grow())) index = fresh_++;
  if (index == 0) {
    start_over();
    for (std::uint32_t i = 0; i < fresh_ && index == 0; i += probes) index = next_reusable();
    if (index == 0) return 0;
  }
  Slot& mine = slot(index);
  const std::uint32_t generation = mine.generation.load(std::memory_order_relaxed) + 1;
  mine.generation.store(generation, std::memory_order_release);  // before the part: see state()
  mine.completion.add();
  return static_cast<int>((generation << slot_bits) | index);
}

Completion* HandleTable::find(int handle) {
  if (handle == completed_handle) return &past_;
  if (handle <= 0) return nullptr;
  const auto value = static_cast<std::uint32_t>(handle);
  const std::uint32_t index = value & (max_slots - 1);
  const std::uint32_t generation = value >> slot_bits;
  if (index == 0 || index >= slots()) return nullptr;
  Slot& named = slot(index);
  const std::uint32_t current = named.generation.load(std::memory_order_acquire);
  if (generation == current && current != 0) return &named.completion;
  const bool was_issued =
      wrapped_.load(std::memory_order_acquire) || (generation != 0 && generation < current);
  return was_issued ? &past_ : nullptr;
}

HandleTable::State HandleTable::state(int handle) {
  const Completion* completion = find(handle);
  if (completion == nullptr) return State::unknown;
  if (completion->done()) return State::done;
  // The part may be another handle's, to which the slot has gone meanwhile: then the generation has moved on.
  return find(handle) == completion ? State::pending : State::done;
}

OperationError HandleTable::take_failure(int handle) {
  const Completion* completion = find(handle);
  if (completion == nullptr || !completion->failed()) return OperationError::none;
  // Another thread may have got the slot meanwhile, and with it a failure of its own.
  const std::lock_guard hold(mutex_);
  return find(handle)->take_failure();
}

bool HandleTable::take_failures() {
  const std::lock_guard hold(mutex_);
  bool any = false;
  for (std::uint32_t index = 1; index < fresh_; ++index)
    any = slot(index).completion.take_failure() != OperationError::none || any;
  return any;
}

}  // namespace comex::nb
