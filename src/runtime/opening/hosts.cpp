#include "runtime/opening/hosts.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pr/setup/host_key.h"
#include "runtime/exchange.h"

namespace comex::runtime {

pr::HostKey own_host_key(shm::Os& os, const Settings& settings) {
  if (!settings.host_key.empty()) return pr::make_host_key_from_text(settings.host_key);
  const shm::HostFacts facts = os.host_facts();
  return pr::make_host_key(facts.host_name, facts.host_id, facts.shm_device);
}

namespace {

// The ranks with one short number, which may share a host. Only they exchange keys and probes.
class Neighbours {
 public:
  Neighbours(transport::Collective& all, shm::Os& os, const pr::HostKey& key)
      : alike_(all.among(pr::key_hash(key))),
        os_(os),
        me_(static_cast<std::size_t>(alike_->rank())),
        ranks_(gather(*alike_, all.rank())),
        round_(pr::first_probe_round(gather(*alike_, key))) {}

  // Probes until all are settled or a rank has failed; returns this rank's failure. Prints a notice if ranks
  // that look alike share no memory.
  Status settle(const Reporter& reporter);
  Machine machine() const { return {leader(), alike_->among(leader())}; }

 private:
  // The lowest rank of this rank's host.
  int leader() const { return rank_of(round_.leader[me_]); }
  int rank_of(int index) const { return ranks_[static_cast<std::size_t>(index)]; }
  bool leads() const { return round_.leader[me_] == alike_->rank(); }
  Result<shm::ObjectName> make_probe(shm::Object& probe) const;

  const std::unique_ptr<transport::Collective> alike_;
  shm::Os& os_;
  const std::size_t me_;          // among the neighbours
  const std::vector<int> ranks_;  // rank on the wire of each neighbour
  pr::ProbeRound round_;
};

Result<shm::ObjectName> Neighbours::make_probe(shm::Object& probe) const {
  if (round_.settled[me_] != 0 || !leads()) return shm::ObjectName{};
  Result<shm::Object> object = os_.create_object(shm::Backing::automatic);
  if (!object) return object.take_failure();
  probe = std::move(object).value();
  return os_.name_of(probe);
}

Status Neighbours::settle(const Reporter& reporter) {
  while (!round_.done) {
    shm::Object probe;
    Result<shm::ObjectName> name = make_probe(probe);
    if (!alike_->all_agree(static_cast<bool>(name))) return name ? Status() : Status(name.take_failure());
    const std::vector<shm::ObjectName> names = gather(*alike_, name.value());
    unsigned char attached = 0;
    if (round_.settled[me_] == 0) {
      attached = static_cast<bool>(os_.open_object_of(names[static_cast<std::size_t>(round_.leader[me_])]));
    }
    const pr::ProbeRound asked =
        std::exchange(round_, pr::next_probe_round(round_, gather(*alike_, attached)));
    alike_->barrier();  // all have attached, so the probes may be destroyed
    if (asked.leader[me_] == round_.leader[me_] || !leads()) continue;
    reporter.notice("MPI rank " + std::to_string(leader()) +
                    " and others that look alike cannot attach to the memory of rank " +
                    std::to_string(rank_of(asked.leader[me_])) + ": they count as another host");
  }
  return {};
}

}  // namespace

Result<Machine> find_machine(transport::Collective& all, shm::Os& os, const Settings& settings,
                             const Reporter& reporter) {
  Neighbours neighbours(all, os, own_host_key(os, settings));
  const CommonStatus common = common_status(all, neighbours.settle(reporter));
  if (common) return neighbours.machine();
  return environment_error("MPI rank " + std::to_string(common.failed_rank) + ": " + common.text);
}

std::vector<int> machines_of_ranks(transport::Collective& lowest, int machine, std::span<const int> own,
                                   std::size_t ranks) {
  struct Listed {
    int machine;
    std::uint32_t ranks;
  };
  const std::vector<Listed> hosts = gather(lowest, Listed{machine, static_cast<std::uint32_t>(own.size())});
  std::vector<std::size_t> sizes;
  for (const Listed& host : hosts) sizes.push_back(host.ranks * sizeof(int));
  std::vector<int> by_host(ranks);
  lowest.all_gather_parts(std::as_bytes(own), std::as_writable_bytes(std::span(by_host)), sizes);
  std::vector<int> machines(ranks);
  auto next = by_host.begin();
  for (const Listed& host : hosts) {
    for (std::uint32_t i = 0; i < host.ranks; ++i) machines[static_cast<std::size_t>(*next++)] = host.machine;
  }
  return machines;
}

}  // namespace comex::runtime
