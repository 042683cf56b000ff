// Rings the doorbell of a receiver on the same host after each message, and counts what came from there.
//
// Messages from other hosts ring no doorbell. So a process whose world has other hosts never sleeps without
// limit.
#pragma once

#include <cstdint>
#include <span>

#include "groups/directory.h"
#include "shm/arena.h"
#include "transport/transport.h"

namespace comex::runtime {

class HostDoorbells final : public transport::MessageObserver {
 public:
  HostDoorbells(shm::Arena& arena, const groups::Directory& directory)
      : arena_(&arena), slot_of_rank_(directory.slots()) {}

  void sent(TransportRank to) override {
    const std::int32_t slot = slot_of_rank_[static_cast<std::size_t>(to)];
    if (slot != groups::Directory::elsewhere)
      arena_->doorbell(static_cast<shm::HostSlot>(slot)).ring_message();
  }
  void received(TransportRank from) override {
    if (slot_of_rank_[static_cast<std::size_t>(from)] != groups::Directory::elsewhere) ++received_;
  }
  // True if every message that rang has been received.
  bool is_drained() const { return received_ == arena_->doorbell(arena_->slot()).messages(); }

 private:
  shm::Arena* arena_;
  std::span<const std::int32_t> slot_of_rank_;
  std::uint64_t received_ = 0;
};

}  // namespace comex::runtime
