// How the workers of one host meet in its arena: a barrier, and the exchange of short notices.
//
// Every worker of the host takes part in every meeting, in the same order. A waiting worker drives the
// engine, but the meeting itself needs no messages. A worker in gather and one in a barrier do not meet: both
// wait, and report it after a while. Owned by Runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "op/engine.h"
#include "runtime/opening/world.h"

namespace comex::runtime {

class HostCollectives {
 public:
  // All must outlive this object. Once one of `everybody` has died, all calls return at once, and what they
  // collect means nothing.
  HostCollectives(World& world, op::Engine& engine, const groups::MemberFailures& everybody);

  static constexpr std::size_t most_bytes = sizeof BoardLayout::Notice::said;
  std::size_t size() const { return boards_.size(); }
  bool is_lowest() const { return boards_.front() == own_; }
  void enter();
  void leave();  // the lowest worker calls it after the hosts have met
  // Collects what each worker of the host passes, in their order; at most most_bytes. It
  // returns only after all have called it, and no barrier counts as such a call.
  void gather(std::span<const std::byte> mine, std::span<std::byte> all);

 private:
  // Drives the engine while it waits. If the wait lasts long, it tells which workers are missing.
  using HasCome = op::FunctionRef<bool(const BoardLayout&)>;
  void wait_on(shm::HostBarrierBlock& block, const char* what, HasCome has_come);
  std::string late(const shm::HostBarrierBlock& block, HasCome has_come) const;

  World& world_;
  op::Engine& engine_;
  const groups::MemberFailures& everybody_;
  std::vector<BoardLayout*> boards_;  // of the host's workers, ascending
  BoardLayout* own_ = nullptr;
  std::uint64_t gathering_ = 0;
  std::uint64_t meetings_ = 0;
};

}  // namespace comex::runtime
