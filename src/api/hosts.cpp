#include "api/hosts.h"

#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "api/exchange.h"
#include "pr/host_key.h"

namespace comex::api {

pr::HostKey own_host_key(shm::Os& os, const Settings& settings) {
  if (!settings.host_key.empty()) return pr::make_host_key_from_text(settings.host_key);
  const shm::HostFacts facts = os.host_facts();
  return pr::make_host_key({.name = facts.host_name,
                            .host_id = static_cast<std::int64_t>(facts.host_id),
                            .shared_memory_dev = facts.shm_device});
}

Result<std::vector<int>> find_hosts(transport::Collective& all, shm::Os& os, const Settings& settings,
                                    const Reporter& reporter) {
  const std::vector<pr::HostKey> keys = gather(all, own_host_key(os, settings));
  const auto me = static_cast<std::size_t>(all.rank());
  pr::ProbeRound round = pr::first_probe_round(keys);
  while (!round.done) {
    const bool leads = round.settled[me] == 0 && round.leader[me] == all.rank();
    shm::Object probe;
    shm::ObjectName name;
    Status made;
    if (leads) {
      Result<shm::Object> object = os.create_object(shm::Backing::automatic);
      if (object) {
        probe = std::move(object).value();
        Result<shm::ObjectName> named = os.name_of(probe);
        if (named) name = named.value();
        if (!named) made = named.take_failure();
      } else {
        made = object.take_failure();
      }
    }
    if (Status everywhere = settle(all, made); !everywhere) return everywhere.take_failure();
    const std::vector<shm::ObjectName> names = gather(all, name);
    unsigned char attached = 0;
    if (round.settled[me] == 0) {
      attached = static_cast<bool>(os.open_object_of(names[static_cast<std::size_t>(round.leader[me])]));
    }
    const pr::ProbeRound asked = std::exchange(round, pr::next_probe_round(round, gather(all, attached)));
    all.barrier();  // the probes may go now
    if (asked.leader[me] == round.leader[me] || round.leader[me] != all.rank()) continue;
    reporter.notice("MPI rank " + std::to_string(all.rank()) +
                    " and others that look alike cannot attach to the "
                    "memory of rank " +
                    std::to_string(asked.leader[me]) + ": they count as another host");
  }
  return round.leader;
}

}  // namespace comex::api
