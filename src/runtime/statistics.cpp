#include "runtime/statistics.h"

#include <fstream>

#include "runtime/opening/boards.h"
#include "runtime/runtime.h"

namespace comex::runtime {

void Spread::merge(const Spread& other) {
  ranks += other.ranks;
  sum += other.sum;
  if (other.ranks == 0) return;
  if (least_rank < 0 || other.least < least) {
    least = other.least;
    least_rank = other.least_rank;
  }
  if (most_rank < 0 || other.most > most) {
    most = other.most;
    most_rank = other.most_rank;
  }
}

void JobTotals::merge(const JobTotals& other) {
  hosts += other.hosts;
  oversubscribed_hosts += other.oversubscribed_hosts;
  longest_ns = std::max(longest_ns, other.longest_ns);
  for (unsigned kind = 0; kind < activity::kinds; ++kind) {
    for (unsigned locality = 0; locality < localities; ++locality)
      operations[kind][locality].merge(other.operations[kind][locality]);
    for (unsigned size = 0; size < activity::size_classes; ++size)
      sizes[kind][size] += other.sizes[kind][size];
  }
  for (unsigned waiting = 0; waiting < activity::waitings; ++waiting)
    waits[waiting].merge(other.waits[waiting]);
  bytes.merge(other.bytes);
  waited_ns.merge(other.waited_ns);
  busy_percent.merge(other.busy_percent);
  requests.merge(other.requests);
  queued_peak = std::max(queued_peak, other.queued_peak);
}

Amount JobTotals::of_locality(Locality locality) const {
  Amount sum;
  for (const auto& kind : operations) sum.merge(kind[static_cast<std::size_t>(locality)]);
  return sum;
}

namespace {

void add_progress_rank(JobTotals& totals, const activity::Block& block, std::uint64_t open_ns) {
  const auto rank = static_cast<std::int64_t>(block.owner.rank.get());
  const std::uint64_t busy_ns = block.served.busy_ns.get();
  totals.busy_percent.add(rank, open_ns == 0 ? 0 : std::min<std::uint64_t>(100, busy_ns * 100 / open_ns));
  totals.requests.add(rank, block.served.requests.get() + block.served.items.get());
  totals.queued_peak = std::max(totals.queued_peak, block.served.queued_peak.get());
}

}  // namespace

void add_rank(JobTotals& totals, const activity::Block& block, const activity::Peer* peers,
              std::uint64_t now_ns) {
  const std::uint64_t open_ns = now_ns - block.owner.since_ns.get();
  totals.longest_ns = std::max(totals.longest_ns, open_ns);
  if (block.owner.worker.get() == 0) {
    add_progress_rank(totals, block, open_ns);
    return;
  }
  const auto worker = static_cast<std::int64_t>(block.owner.worker.get()) - 1;
  const std::uint64_t slots = block.owner.slots.get();
  const std::uint64_t rows = block.owner.peers.get();
  const std::uint64_t own_slot = block.owner.slot.get();
  std::uint64_t bytes = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    const Locality locality = row == own_slot   ? Locality::self
                              : row < slots     ? Locality::same_host
                              : row + 1 == rows ? Locality::other_world
                                                : Locality::other_host;
    for (unsigned kind = 0; kind < activity::kinds; ++kind) {
      const activity::Tally& tally = peers[row].by_kind[kind];
      totals.operations[kind][static_cast<std::size_t>(locality)].merge(
          {tally.count.get(), tally.amount.get()});
      bytes += tally.amount.get();
    }
  }
  std::uint64_t waited = 0;
  for (unsigned waiting = 0; waiting < activity::waitings; ++waiting) {
    totals.waits[waiting].merge({block.waits[waiting].count.get(), block.waits[waiting].amount.get()});
    waited += block.waits[waiting].amount.get();
  }
  for (unsigned kind = 0; kind < activity::kinds; ++kind) {
    for (unsigned size = 0; size < activity::size_classes; ++size)
      totals.sizes[kind][size] += block.sizes[kind][size].get();
  }
  totals.bytes.add(worker, bytes);
  totals.waited_ns.add(worker, waited);
}

namespace {

JobTotals totals_of_host(World& world) {
  JobTotals totals;
  const pr::Host& host = world.own_host();
  totals.hosts = 1;
  totals.oversubscribed_hosts = world.wait_policy.oversubscribed ? 1 : 0;
  for (std::uint32_t slot = 0; slot < host.ranks.size(); ++slot) {
    const activity::Block& block = activity_of(world, static_cast<shm::HostSlot>(slot));
    add_rank(totals, block, reinterpret_cast<const activity::Peer*>(&block + 1), world.os->now_ns());
  }
  return totals;
}

}  // namespace

void report_statistics(Runtime& runtime) {
  const Settings& settings = runtime.world().settings;
  if (!counts_statistics(settings)) return;
  runtime.synchronize(groups::world_handle);  // every rank of the host has counted all that it did
  if (runtime.has_dead_member(groups::world_handle)) return;
  World& world = runtime.world();
  const bool is_first_of_host = world.share.host_workers().front() == world.transport->rank();
  const JobTotals totals =
      runtime.all_merged(groups::world_handle, is_first_of_host ? totals_of_host(world) : JobTotals());
  if (runtime.me() != 0 || runtime.has_dead_member(groups::world_handle)) return;
  if (settings.stats == "1") {
    Reporter::print_text(statistics_text(totals, settings));
    return;
  }
  const std::string name = world.output_file(settings.stats);
  std::ofstream file(name);
  file << (settings.stats.ends_with(".json") ? statistics_json(totals, settings)
                                             : statistics_text(totals, settings));
  if (!file.flush()) {
    runtime.reporter().warn({.operation = "finalize"}, "COMEX_STATS=" + name + " cannot be written");
  }
}

}  // namespace comex::runtime
