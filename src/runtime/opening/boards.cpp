#include "runtime/opening/boards.h"

#include <algorithm>

#include "runtime/statistics.h"
#include "watch/read_host.h"

namespace comex::runtime {
namespace {

// One buffer for each server, so that batches to several servers collect side by side. If there are more
// servers, the oldest batch leaves early. One extra, because the pusher may be copying from one.
std::uint32_t buffers(const World& world) {
  constexpr std::uint32_t most = 16;
  if (world.settings.coalesce_us == 0 || may_lose_hosts(world)) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{1} + world.share.servers, most));
}

std::uint32_t slots(const World& world) {
  return static_cast<std::uint32_t>(world.own_host().ranks.size());
}

std::uint64_t activity_bytes(const World& world) {
  return activity::bytes_for(slots(world), world.share.hosts);
}

shm::Outbox outbox_of(World& world, const pr::RankPlace& worker) {
  const auto slot = static_cast<shm::HostSlot>(worker.local_index);
  const pr::RankPlace& pusher = worker.server < 0 ? worker : world.share.place_of(worker.server);
  return {world.arena->board(slot).data() + board_layout_bytes + activity_bytes(world), buffers(world),
          world.arena->doorbell(static_cast<shm::HostSlot>(pusher.local_index)), &*world.os};
}

}  // namespace

std::uint64_t board_bytes(const World& world) {
  const std::uint32_t count = buffers(world);
  return board_layout_bytes + activity_bytes(world) + (count == 0 ? 0 : shm::Outbox::bytes_for(count));
}

BoardLayout& board_of(World& world, shm::HostSlot slot) {
  return *reinterpret_cast<BoardLayout*>(world.arena->board(slot).data());
}

activity::Block& activity_of(World& world, shm::HostSlot slot) {
  return *reinterpret_cast<activity::Block*>(world.arena->board(slot).data() + board_layout_bytes);
}

activity::Recorder begin_activity(World& world, TransportRank rank) {
  const pr::RankPlace& place = world.place;
  std::byte* const block =
      world.arena->board(static_cast<shm::HostSlot>(place.local_index)).data() + board_layout_bytes;
  const std::uint32_t hosts = world.share.hosts;
  const std::string& trace = world.settings.trace;
  if (!trace.empty() && trace != "0") {
    world.log = std::make_unique<trace::Log>(static_cast<std::uint32_t>(world.settings.trace_events));
  }
  const activity::Recorder recorder(block, slots(world), hosts, counts_statistics(world.settings),
                                    world.log.get());
  activity::Owner& owner = recorder.block().owner;
  owner.pid.set(static_cast<std::uint64_t>(world.os->pid()));
  owner.started.set(watch::process_start(world.os->pid()));
  owner.rank.set(static_cast<std::uint64_t>(rank));
  owner.worker.set(static_cast<std::uint64_t>(place.worker) + 1);
  owner.host.set(static_cast<std::uint64_t>(place.host));
  owner.since_ns.set(world.os->now_ns());
  owner.slots.set(slots(world));
  owner.slot.set(static_cast<std::uint64_t>(place.local_index));
  owner.peers.set(activity::peers_for(slots(world), hosts));
  owner.version.release(activity::layout_version);
  return recorder;
}

namespace {

// A request that was in any row before has been there since then.
void record_queues(activity::Served& served, const pr::Server& server, shm::Os& os) {
  struct Row {
    std::uint64_t from = 0;
    std::uint64_t number = 0;
    std::uint64_t since_ns = 0;
  };
  std::optional<pr::Server::OldestRequest> oldest = server.oldest_request(0);
  if (!oldest && served.heads.front().from.get() == 0) return;
  std::array<Row, activity::most_queue_heads> before;
  std::ranges::transform(served.heads, before.begin(), [](const activity::QueueHead& head) {
    return Row{head.from.get(), head.number.get(), head.since_ns.get()};
  });
  const std::uint64_t now_ns = os.now_ns();
  for (std::size_t at = 0; at < before.size(); ++at, oldest = server.oldest_request(at)) {
    activity::QueueHead& head = served.heads[at];
    head.from.set(0);  // while the row changes
    if (!oldest) continue;
    const protocol::RequestHeader& header = *oldest->header;
    const bool is_batch = header.verb == protocol::Verb::batch;
    const std::uint64_t from = static_cast<std::uint64_t>(oldest->from) + 1;
    const std::uint64_t number = std::uint64_t{header.sequence} << 32 | header.slot;
    const auto same = std::ranges::find_if(
        before, [&](const Row& row) { return row.from == from && row.number == number; });
    head.target.set(is_batch ? 0 : static_cast<std::uint64_t>(header.target) + 1);
    head.what.set(static_cast<std::uint64_t>(header.verb) << 32 |
                  static_cast<std::uint64_t>(oldest->obstacle));
    head.bytes.set(header.bytes);
    head.number.set(number);
    head.since_ns.set(same == before.end() ? now_ns : same->since_ns);
    head.from.release(from);
  }
}

}  // namespace

void record_service(const activity::Recorder& into, const pr::Server& server, std::uint64_t busy_ns,
                    shm::Os& os) {
  const pr::ServerCounters& counters = server.counters();
  activity::Served& served = into.block().served;
  served.requests.set(counters.requests);
  served.items.set(counters.batch_items);
  served.queued.set(counters.queued);
  served.queued_peak.set(counters.queued_peak);
  served.busy_ns.set(busy_ns);
  served.refused.set(counters.refused);
  record_queues(served, server, os);
}

shm::Outbox own_outbox(World& world) {
  const bool is_pushed = !world.serves_itself() || world.has_threads;
  return buffers(world) == 0 || !is_pushed ? shm::Outbox() : outbox_of(world, world.place);
}

pr::Pusher make_pusher(World& world) {
  std::vector<shm::Outbox> outboxes;
  const bool collects = buffers(world) != 0;
  if (collects && world.is_worker()) {
    outboxes.push_back(own_outbox(world));
  } else if (collects) {
    for (const int rank : world.share.host_workers()) {
      const pr::RankPlace& worker = world.share.place_of(rank);
      if (worker.server == world.transport->rank()) outboxes.push_back(outbox_of(world, worker));
    }
  }
  const std::uint64_t coalesce_ns = static_cast<std::uint64_t>(world.settings.coalesce_us) * 1000;
  return {*world.transport, *world.os, outboxes, coalesce_ns, world.arena->doorbell(world.arena->slot())};
}

}  // namespace comex::runtime
