// How a progress rank learns the state of the whole job: for workers of its host whose wait does not end, and
// for those who ask from outside (comex_top --why).
//
//   this progress rank ──look──► one progress rank of each other host
//                      ◄──seen── the state of its host, at once, even if its workers hang
//                      ──told──► all of them, once the line is printed
//
// For a worker it looks twice, a second apart, and prints one line about why nothing goes on, for all hosts.
// If two hosts look at the same time, the lower rank goes on; so higher ones begin later. For others it
// leaves the state in an object of its own. A host that does not answer within two seconds is named in
// it. No other rank waits for these messages. Owned by ProgressLoop.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "op/control_messages.h"
#include "runtime/opening/world.h"
#include "runtime/report.h"
#include "shm/os.h"
#include "watch/job_state.h"

namespace comex::runtime {

// One progress rank of each other host that has one.
std::vector<watch::HostServer> servers_elsewhere(const World& world);
// Of the own host.
watch::JobState read_own_host(World& world);
// The host says once why nothing goes on.
bool has_said_why(World& world);
bool say_why(World& world, const Reporter& reporter, const std::string& verdict);  // false: it has been said

class JobWatch {
 public:
  JobWatch(World& world, const Reporter& reporter);
  JobWatch(const JobWatch&) = delete;
  JobWatch& operator=(const JobWatch&) = delete;

  // A control message of watch_context, of this phase.
  void on_message(const transport::Message& message, std::uint32_t phase);
  // The host of this progress rank is lost: it is asked no more.
  void forget(TransportRank server) {
    std::erase_if(others_, [&](const watch::HostServer& each) { return each.server == server; });
  }
  // Begins what is asked for and goes on with it. Call it between rounds.
  void advance();

 private:
  enum class Phase : std::uint32_t { look = 1, seen, told };
  enum class Purpose : std::uint64_t { stall, outside };
  struct LookRequest {
    std::uint64_t number = 0;
    Purpose purpose{};
  };
  struct Look {
    LookRequest request;
    std::uint64_t began_ns = 0;
    std::vector<watch::HostServer> awaited;
    watch::JobState job_state;
  };

  activity::Question& question() const { return world_.activity.block().question; }
  void send(TransportRank to, Phase phase, std::span<const std::byte> bytes);
  void answer(TransportRank from, const LookRequest& request);
  void begin(Purpose purpose);
  void take_answers();
  void end_stall_look(watch::JobState seen);
  void give_up_stall();
  void write_job_state(const watch::JobState& job_state);
  bool write_object(std::span<const std::byte> bytes);

  World& world_;
  const Reporter& reporter_;
  op::ControlMessages control_;
  std::vector<watch::HostServer> others_;  // the other hosts, and whom to ask there
  std::uint64_t looks_ = 0;
  std::optional<Look> look_;               // under way
  std::optional<watch::JobState> before_;  // the first one of a stall
  std::uint64_t stall_at_ns_ = 0;          // when its next look begins; 0: nobody has asked
  shm::Object object_;                     // of the state, for those outside
};

}  // namespace comex::runtime
