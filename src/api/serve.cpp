// The progress rank's loop: receive, advance, and otherwise wait as cheaply as it may.
#include "api/launch.h"
#include "api/outboxes.h"
#include "api/server_options.h"
#include "pr/service_report.h"
#include "transport/mpi_tuning.h"

namespace comex::api {
namespace {

// Beside computing processes a yield is answered a time slice late, so a server naps instead; where it shares
// its core with who it works for, yields are far cheaper than naps. It finds out.
shm::WaitPolicy server_policy(shm::WaitPolicy policy) {
  policy.dear_yield_ns = 100'000;
  return policy;
}

// A server that yields inside MPI answers a time slice late. Put back for a caller that gets this rank again.
class YieldsInMpi {
 public:
  explicit YieldsInMpi(bool yields) : before_(transport::set_mpi_yield_when_idle(yields)) {}
  YieldsInMpi(const YieldsInMpi&) = delete;
  YieldsInMpi& operator=(const YieldsInMpi&) = delete;
  ~YieldsInMpi() {
    if (before_) static_cast<void>(transport::set_mpi_yield_when_idle(*before_));
  }

 private:
  std::optional<bool> before_;
};

void tell_of_service(const World& world, const pr::Server& server, const pr::ServiceMeter& meter,
                     const Reporter& reporter) {
  if (!meter.measures()) return;
  const pr::Host& host = world.own_host();
  const pr::Service service{server.counters(), meter.busy_ns(), meter.total_ns(),
                            static_cast<std::uint32_t>(host.progress_ranks.size()),
                            static_cast<std::uint32_t>(host.ranks.size())};
  reporter.notice("progress rank " + std::to_string(world.wire.rank()) + " " + pr::service_text(service));
}

}  // namespace

void serve(World& world, Reporter& reporter) {
  const YieldsInMpi none_while_serving(false);
  constexpr unsigned messages_a_round = 64;
  const auto server = make_server(world, reporter);
  pr::Pusher pusher = make_pusher(world);
  const std::size_t workers = world.host_workers().size();
  // With other hosts in the world nobody rings for their messages: naps are bounded then.
  const bool may_sleep = world.split.hosts.size() == 1;
  transport::MpiTransport& transport = *world.transport;
  shm::Idle idle(*world.os, server_policy(world.wait_policy), world.arena->doorbell(world.arena->slot()));

  pr::ServiceMeter meter(*world.os, world.settings.verbose);
  while (server->departed() < workers) {
    meter.begin_round();
    unsigned moved = 0;
    transport::Message message;
    while (moved < messages_a_round && transport.receive(message)) {
      server->on_message(message);
      ++moved;
    }
    moved += server->advance();
    meter.end_round(moved != 0);
    pusher.advance();
    const std::uint64_t push_in_ns = pusher.due_in();
    if (moved != 0) {
      idle.reset();
    } else if (push_in_ns != shm::forever_ns && idle.would_nap()) {
      idle.sleep(push_in_ns);
    } else if (may_sleep && idle.would_nap() && server->quiet() && transport.unsent() == 0 &&
               world.bell->is_drained()) {
      idle.sleep(shm::forever_ns);
    } else {
      idle.pause();
    }
  }
  tell_of_service(world, *server, meter, reporter);
}

}  // namespace comex::api
