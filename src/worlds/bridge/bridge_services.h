// A progress rank's part in bridges: it serves the wires of those it takes part in, beside its own world's.
//
// Between two rounds of the loop it may be told to join a bridge (bridge.h). It leaves one by itself, when
// nobody needs it there any more (service_end). Owned by the ProgressLoop.
#pragma once

#include <memory>
#include <vector>

#include "runtime/opening/progress_loop.h"
#include "worlds/bridge/meeting_point.h"
#include "worlds/connect/progress_rank_calls.h"

namespace comex::worlds {

class BridgeServices final : public runtime::BridgeService {
 public:
  explicit BridgeServices(runtime::ProgressLoop& loop) : loop_(loop) {}
  ~BridgeServices() override;  // drops the bridges that are still open, without the others
  BridgeServices(const BridgeServices&) = delete;
  BridgeServices& operator=(const BridgeServices&) = delete;

  void on_control(transport::Transport& transport, MPI_Comm wire,
                  const transport::Message& message) override {
    progress_calls_.on_message(transport, wire, message);
  }
  unsigned advance() override;
  bool has_bridges() const override { return !points_.empty(); }
  bool may_end() const override;

  void join(std::unique_ptr<MeetingPoint> point) { points_.push_back(std::move(point)); }
  runtime::World& world() { return loop_.world(); }
  runtime::Reporter& reporter() { return loop_.reporter(); }
  GuestArenas& arenas() { return arenas_; }
  ProgressRankCalls& progress_calls() { return progress_calls_; }

 private:
  unsigned serve_bridges();
  Service service_on(const MeetingPoint& point) const;
  bool has_ended(MeetingPoint& point);
  void drop(MeetingPoint& point);
  void drop_lost();

  runtime::ProgressLoop& loop_;
  GuestArenas arenas_;
  std::vector<std::unique_ptr<MeetingPoint>> points_;
  ProgressRankCalls progress_calls_;
};

}  // namespace comex::worlds
