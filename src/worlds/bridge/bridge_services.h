// A progress rank's part in bridges: it serves their wires beside the wire of its own world.
//
// Between two rounds of its loop it may be told to join a bridge. It leaves a bridge when nobody
// there needs it any more (service_for). Owned by the ProgressLoop.
#pragma once

#include <memory>
#include <vector>

#include "runtime/opening/progress_loop.h"
#include "worlds/bridge/bridge_endpoint.h"
#include "worlds/connect/progress_rank_calls.h"

namespace comex::worlds {

class BridgeServices final : public runtime::BridgeService {
 public:
  explicit BridgeServices(runtime::ProgressLoop& loop) : loop_(loop) {}
  ~BridgeServices() override;  // drops bridges that are still open, alone
  BridgeServices(const BridgeServices&) = delete;
  BridgeServices& operator=(const BridgeServices&) = delete;

  void on_control(transport::Transport& transport, MPI_Comm wire,
                  const transport::Message& message) override {
    progress_calls_.on_message(transport, wire, message);
  }
  void part_after_death(std::uint32_t dead_workers) override;
  unsigned advance() override;
  bool has_bridges() const override { return !points_.empty(); }
  bool may_end() const override;

  // It leaves the bridge with all workers of the wire. If a worker has left alone, it leaves when the workers
  // of its world and those it serves have left.
  void open_bridge(BridgeFacts facts);

 private:
  using Point = std::unique_ptr<BridgeEndpoint>;
  unsigned serve_bridges();
  void leave(Point& point, bool all_part);
  ServiceState service_on(const BridgeEndpoint& point) const;
  bool has_ended(BridgeEndpoint& point);
  void drop_lost();

  runtime::ProgressLoop& loop_;
  GuestArenas arenas_;
  std::vector<Point> points_;
  std::vector<Point> abandoned_;  // lost ones whose memory MPI may still use
  ProgressRankCalls progress_calls_;
  LifeWatch watch_;  // over the bridges
  BridgeId last_bridge_ = no_bridge;
};

}  // namespace comex::worlds
