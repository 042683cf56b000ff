#include "runtime/opening/steps.h"

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

Result<shm::ObjectName> make_probe(shm::Os& os, shm::Object& probe) {
  Result<shm::Object> object = os.create_object(shm::Backing::automatic);
  if (!object) return object.take_failure();
  probe = std::move(object).value();
  return os.name_of(probe);
}

}  // namespace

Status find_machine(transport::Collective& all, shm::Os& os, const Settings& settings,
                    const Reporter& reporter, Machine& found) {
  const pr::HostKey key = own_host_key(os, settings);
  // Those with one short number may share a host. Only they exchange keys and probes.
  const std::unique_ptr<transport::Collective> alike = all.among(pr::key_hash(key));
  const auto me = static_cast<std::size_t>(alike->rank());
  const std::vector<int> ranks = gather(*alike, all.rank());
  pr::ProbeRound round = pr::first_probe_round(gather(*alike, key));
  const auto leader = [&](const pr::ProbeRound& of) { return static_cast<std::size_t>(of.leader[me]); };
  while (!round.done) {
    const bool is_settled = round.settled[me] != 0;
    shm::Object probe;
    Result<shm::ObjectName> name = shm::ObjectName{};
    if (!is_settled && leader(round) == me) name = make_probe(os, probe);
    if (!alike->all_agree(static_cast<bool>(name))) return name ? Status() : Status(name.take_failure());
    const std::vector<shm::ObjectName> names = gather(*alike, name.value());
    const unsigned char attached =
        !is_settled && static_cast<bool>(os.open_object_of(names[leader(round)])) ? 1 : 0;
    const pr::ProbeRound asked = std::exchange(round, pr::next_probe_round(round, gather(*alike, attached)));
    alike->barrier();  // all have attached, so the probes may be destroyed
    if (leader(asked) == leader(round) || leader(round) != me) continue;
    reporter.notice("MPI rank " + std::to_string(all.rank()) +
                    " and others that look alike cannot attach to the memory of rank " +
                    std::to_string(ranks[leader(asked)]) + ": they count as another host");
  }
  found.number = ranks[leader(round)];
  found.ranks = alike->among(found.number);
  return {};
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
