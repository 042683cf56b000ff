// The progress rank's loop: receive, advance, and otherwise wait as cheaply as it may.
#include "api/launch.h"
#include "api/server_options.h"

namespace comex::api {
namespace {

// A server that yields beside computing processes answers a time slice late: it spins a little, then naps.
shm::WaitPolicy server_policy(shm::WaitPolicy policy) {
  constexpr std::uint64_t crowded_spin_ns = 10'000;
  policy.crowded_spin_ns = crowded_spin_ns;
  if (policy.mode == shm::WaitMode::automatic) policy.yields = 0;
  return policy;
}

}  // namespace

void serve(World& world, Reporter& reporter) {
  constexpr unsigned messages_a_round = 64;
  const auto server = make_server(world, reporter);
  const std::size_t workers = world.host_workers().size();
  // With other hosts in the world nobody rings for their messages: naps are bounded then.
  const bool may_sleep = world.split.hosts.size() == 1;
  transport::MpiTransport& transport = *world.transport;
  shm::Idle idle(*world.os, server_policy(world.wait_policy), world.arena->doorbell(world.arena->slot()));

  while (server->departed() < workers) {
    unsigned moved = 0;
    transport::Message message;
    while (moved < messages_a_round && transport.receive(message)) {
      server->on_message(message);
      ++moved;
    }
    moved += server->advance();
    if (moved != 0) {
      idle.reset();
    } else if (may_sleep && idle.would_nap() && server->quiet() && transport.unsent() == 0 &&
               world.bell->is_drained()) {
      idle.sleep(shm::forever_ns);
    } else {
      idle.pause();
    }
  }
}

}  // namespace comex::api
