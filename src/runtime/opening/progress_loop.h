// The loop of a progress rank while its world is open. In turns it serves its own world's wire and, by its
// BridgeService, the wires of bridges.
//
// Naps are bounded while a bridge is open, because messages from another world ring no doorbell. Made by
// `serve`.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "pr/pusher.h"
#include "pr/server.h"
#include "pr/service_report.h"
#include "runtime/kept/mirroring.h"
#include "runtime/opening/failure_watch.h"
#include "runtime/opening/job_watch.h"
#include "runtime/opening/world.h"
#include "runtime/other_worlds.h"
#include "shm/idle.h"

namespace comex::runtime {

class ProgressLoop {
 public:
  ProgressLoop(World& world, Reporter& reporter, const WorldJoiner& joiner);
  ProgressLoop(const ProgressLoop&) = delete;
  ProgressLoop& operator=(const ProgressLoop&) = delete;

  // Serves until done() is true, which it checks between two rounds.
  template <class Done>
  void run(Done&& done) {
    while (!done()) rest_after(round());
  }
  // Workers that have died count as well.
  bool all_have_left() const {
    return server_->departed() + failures_.gone() >= workers_ && (failures_.gone() == 0 || none_is_left());
  }
  bool may_end() { return bridges_->may_end() && failures_.may_end(); }

  // Takes the messages of one wire and advances its server. Returns how much it moved.
  unsigned serve(transport::Transport& transport, MPI_Comm wire, pr::Server& server);

  void tell_of_service() const;  // if verbose
  World& world() { return world_; }
  Reporter& reporter() { return reporter_; }
  BridgeService& bridges() { return *bridges_; }

 private:
  static constexpr unsigned rounds_a_record = 64;
  bool take_control(const transport::Message& message);  // if it is for one of the watches
  unsigned round();
  void rest_after(unsigned moved);
  void give_back_between_rounds();
  void look_at_failures();
  std::vector<shm::HostSlot> served_slots() const;  // of the workers of this host that this rank serves
  bool none_is_left() const;
  bool only_messages_bring_work() const;

  World& world_;
  Reporter& reporter_;
  const std::size_t workers_;
  const bool may_sleep_;
  Mirroring mirroring_;
  std::unique_ptr<pr::Server> server_;
  pr::Pusher pusher_;
  pr::ServiceMeter meter_;
  JobWatch watch_;
  FailureWatch failures_;
  std::uint64_t seen_failures_ = 0;          // their epoch
  std::vector<TransportRank> lost_servers_;  // of other hosts
  unsigned rounds_ = 0;
  std::uint64_t next_give_back_ns_ = 0;
  shm::Idle idle_;
  std::unique_ptr<BridgeService> bridges_;
};

}  // namespace comex::runtime
