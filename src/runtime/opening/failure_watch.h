// A progress rank's look at who has died, where COMEX_ON_FAILURE is `continue`.
//
// It asks the system now and then whether the workers of its host live, and marks the dead in the host's
// arena, where all processes of the host see them (groups/failures). Whatever is marked there it also tells
// one progress rank of each other host, by a control message each, which marks it there. A worker that has
// left before it ended is no failure. Owned by ProgressLoop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "op/control_messages.h"
#include "runtime/opening/world.h"
#include "runtime/report.h"
#include "watch/job_state.h"

namespace comex::runtime {

class FailureWatch {
 public:
  static constexpr std::uint64_t between_looks_ns = 50'000'000;

  FailureWatch(World& world, const Reporter& reporter);
  FailureWatch(const FailureWatch&) = delete;
  FailureWatch& operator=(const FailureWatch&) = delete;

  bool is_on() const { return world_.failures.are_watched(); }
  // Workers of the host that have ended, dead or not, so that nothing more comes of them.
  std::size_t gone() const { return gone_.size(); }
  bool is_gone(int rank) const { return std::ranges::find(gone_, rank) != gone_.end(); }
  // All workers of this host have left or died: tells the others, and says whether it is so on every host.
  bool may_end();
  // A control message of failure_context.
  void on_message(TransportRank from, const protocol::ControlHeader& header);
  // Looks if it is time. Call it between rounds. `has_left(rank)`: this worker of the host has left. Calls
  // on_death(worker) once for each that is known to have died.
  template <class HasLeft, class OnDeath>
  void advance(const HasLeft& has_left, const OnDeath& on_death) {
    if (!is_on() || !is_due()) return;
    for (const int rank : world_.share.host_workers()) {
      if (!is_gone(rank) && !has_left(rank)) look_at(rank);
    }
    if (limit_ns_ != 0) look_at_next_host();
    if (world_.failures.epoch() == seen_epoch_) return;
    seen_epoch_ = world_.failures.epoch();
    for (Worker worker = 0; worker < told_.size(); ++worker) {
      if (relay(worker)) on_death(worker);
    }
  }

 private:
  enum class Phase : std::uint32_t { worker = 1, host_left, ask, answer, host_lost };
  bool is_due();
  void send_all(Phase phase, std::uint64_t number);
  void look_at(int rank);
  void look_at_next_host();
  const watch::HostServer* next_host() const;
  void lose(std::uint32_t host);
  bool give_up(std::uint32_t host);  // false: another progress rank of this host has noticed before
  void send(TransportRank to, Phase phase, std::uint64_t number);
  bool relay(Worker worker);  // true once, if it has died; tells the others what they do not know

  World& world_;
  const Reporter& reporter_;
  op::ControlMessages control_;
  std::vector<watch::HostServer> others_;
  std::vector<bool> is_lost_;              // by host
  std::vector<int> gone_;                  // ranks
  std::vector<groups::WorkerState> told_;  // what the other hosts know, by worker
  std::vector<bool> seen_;                 // by worker
  std::uint64_t seen_epoch_ = 0;
  std::uint64_t looked_ns_ = 0;
  const std::uint64_t limit_ns_;  // for the next host to answer; 0: none
  std::uint64_t asked_ns_ = 0;
  std::uint64_t heard_ns_ = 0;
  std::uint32_t asked_host_ = ~0U;
  std::uint64_t left_ns_ = 0;  // when the workers of this host had all left
  bool has_said_left_ = false;
};

}  // namespace comex::runtime
