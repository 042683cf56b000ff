// How the workers of one host meet in its arena: the barrier of a host, and what they show each other there.
//
// Every worker of the host comes to each meeting, in one order. Who waits drives the engine; messages are
// needed for neither. Who gathers does not meet who is in a barrier: both wait, and say so. Owned by Runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "op/engine.h"
#include "runtime/opening/world.h"

namespace comex::runtime {

class HostMeeting {
 public:
  // Both outlive it.
  HostMeeting(World& world, op::Engine& engine);

  std::size_t size() const { return boards_.size(); }
  bool is_lowest() const { return boards_.front() == own_; }
  void enter();
  void leave();  // the lowest comes when other hosts have met
  // What each worker of the host shows, in their order; at most BoardLayout::Notice::said. Nobody returns
  // before all have come to this, and to no barrier.
  void gather(std::span<const std::byte> mine, std::span<std::byte> all);

 private:
  // Drives the engine meanwhile; awaited() says who has not come, should that last.
  void wait_on(shm::HostBarrierBlock& block, const char* what, op::FunctionRef<std::string()> awaited);
  template <class HasCome>
  std::vector<int> late(const HasCome& has_come) const;  // the workers of whose boards it does not hold

  World& world_;
  op::Engine& engine_;
  std::vector<BoardLayout*> boards_;  // of the host's workers, ascending
  BoardLayout* own_ = nullptr;
  std::uint64_t gathering_ = 0;
  std::uint64_t meetings_ = 0;
};

}  // namespace comex::runtime
