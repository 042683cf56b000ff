// What a progress rank does from the time its world opens until it ends: serves its own world's wire, and the
// wires of the bridges that it takes part in, one round after the other.
//
// Between two rounds it may be told to join a bridge (bridge.h); it leaves one by itself, when nobody needs
// it there any more (service_end). Naps are bounded while a bridge is open: nobody rings for what comes from
// another world. Made by runtime/opening/serve.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "pr/pusher.h"
#include "pr/server.h"
#include "pr/service_report.h"
#include "runtime/opening/world.h"
#include "shm/idle.h"
#include "shm/watched_naps.h"
#include "worlds/bridge/meeting_point.h"
#include "worlds/connect/progress_rank_calls.h"

namespace comex::worlds {

class Services {
 public:
  Services(runtime::World& world, runtime::Reporter& reporter);
  ~Services();  // drops the bridges that are still open, without the others
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;

  // Serves until done() holds, which is asked between two rounds.
  template <class Done>
  void run(Done&& done) {
    while (!done()) rest_after(round());
  }
  bool all_have_left() const { return server_->departed() >= workers_; }
  bool has_bridges() const { return !points_.empty(); }
  // Nobody of another world, of whom this one has taken leave, depends on it.
  bool may_end() const;

  void join(std::unique_ptr<MeetingPoint> point);
  const pr::Server& server() const { return *server_; }  // of the own world
  const pr::PushCounters& pushed() const { return pusher_.counters(); }
  const pr::ServiceMeter& meter() const { return meter_; }
  runtime::World& world() { return world_; }
  runtime::Reporter& reporter() { return reporter_; }
  GuestArenas& arenas() { return arenas_; }
  ProgressRankCalls& progress_calls() { return progress_calls_; }

 private:
  unsigned round();
  unsigned serve(transport::Transport& transport, MPI_Comm wire, pr::Server& server);
  unsigned serve_bridges();
  Service service_on(const MeetingPoint& point) const;
  bool has_ended(MeetingPoint& point);
  void rest_after(unsigned moved);
  bool only_messages_bring_work() const;
  void drop(MeetingPoint& point);
  void drop_lost();

  runtime::World& world_;
  runtime::Reporter& reporter_;
  const std::size_t workers_;
  const bool may_sleep_;
  std::unique_ptr<pr::Server> server_;
  pr::Pusher pusher_;
  pr::ServiceMeter meter_;
  shm::Idle idle_;
  std::optional<shm::WatchedNaps> watched_naps_;
  GuestArenas arenas_;
  std::vector<std::unique_ptr<MeetingPoint>> points_;
  ProgressRankCalls progress_calls_;
};

}  // namespace comex::worlds
