// Rings the doorbell of a receiver on the same host after each message, and counts what came.
//
// Messages from other hosts are neither rung nor counted: a process that has other hosts in its
// world never sleeps without limit.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "shm/arena.h"
#include "transport/transport.h"

namespace comex::api {

class HostBell final : public transport::Bell {
 public:
  static constexpr std::int32_t elsewhere = -1;

  // slot_of_rank: host slot by transport rank, `elsewhere` for ranks of other hosts.
  HostBell(shm::Arena& arena, std::vector<std::int32_t> slot_of_rank)
      : arena_(&arena), slot_of_rank_(std::move(slot_of_rank)) {}

  void sent(TransportRank to) override {
    const std::int32_t slot = slot_of_rank_[static_cast<std::size_t>(to)];
    if (slot != elsewhere) arena_->doorbell(static_cast<shm::HostSlot>(slot)).ring_message();
  }
  void received(TransportRank from) override {
    if (slot_of_rank_[static_cast<std::size_t>(from)] != elsewhere) ++received_;
  }
  // Every message that was rung for has been received.
  bool is_drained() const { return received_ == arena_->doorbell(arena_->slot()).messages(); }

 private:
  shm::Arena* arena_;
  std::vector<std::int32_t> slot_of_rank_;
  std::uint64_t received_ = 0;
};

}  // namespace comex::api
