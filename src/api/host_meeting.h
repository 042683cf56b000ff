// How the workers of one host meet in its arena: the barrier of a host, and what they show each other there.
//
// Every worker of the host comes to each meeting, in one order. Who waits drives the engine; messages are
// needed for neither. Owned by Runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "api/world.h"
#include "op/engine.h"

namespace comex::api {

class HostMeeting {
 public:
  // Both outlive it.
  HostMeeting(World& world, op::Engine& engine);

  bool is_lowest() const { return boards_.front() == own_; }
  void enter() { wait_on(boards_.front()->enter); }
  void leave() { wait_on(boards_.front()->leave); }
  // What each worker of the host shows, by worker number; at most BoardLayout::notice_bytes. Nobody returns
  // before all have come.
  void gather(std::span<const std::byte> mine, std::span<std::byte> all);

 private:
  void wait_on(shm::HostBarrierBlock& block);

  World& world_;
  op::Engine& engine_;
  std::vector<BoardLayout*> boards_;  // of the host's workers, ascending
  BoardLayout* own_ = nullptr;
  std::size_t turn_ = 0;
};

}  // namespace comex::api
