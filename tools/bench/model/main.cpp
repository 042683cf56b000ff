// comex_bench_model: what each table of the runtime takes, from the structs themselves; built without MPI.
//
// Prints JSON for comex_bench --model: for every table its bytes for each rank of the job, each worker, each
// host, and fixed; for every operation its messages. The driver evaluates them for job sizes that nobody can
// run here.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/protocol.h"
#include "groups/directory.h"
#include "groups/group.h"
#include "groups/process_ranks.h"
#include "groups/world_book.h"
#include "nb/fence_ledger.h"
#include "op/remote_parts.h"
#include "pr/host_key.h"
#include "pr/origin.h"
#include "pr/world_split.h"
#include "shm/arena_layout.h"
#include "shm/locks.h"
#include "shm/os.h"
#include "shm/outbox.h"

namespace {

struct Table {
  const char* name;
  const char* place;  // private: in every process; shared: once a host; server: in every progress rank
  const char* when;   // always, init (while it runs), allocation (each), mutexes, traffic (with every peer)
  double per_rank = 0;
  double per_worker = 0;
  double per_host = 0;
  double per_local_rank = 0;  // ranks of one host
  double fixed = 0;
};

// What the allocator adds to a block, and a node of a hash table to its value: next pointer, block and
// bucket.
constexpr double block_bytes = 16;
template <class Key, class Value>
constexpr double hash_node = sizeof(std::pair<const Key, Value>) + sizeof(void*) + block_bytes +
                             sizeof(void*);

std::vector<Table> private_tables() {
  using namespace comex;
  return {
      {"split: places of the own host's ranks", "private", "always", 0, 0, 0,
       sizeof(pr::RankPlace) + 2 * sizeof(int), sizeof(pr::SplitShare)},
      {"book of worlds: the own one", "private", "always", 0, 0, 0, 0,
       sizeof(groups::WorldBook) + sizeof(groups::WorldDescription) + 16 * block_bytes},
      {"table of groups", "private", "always", 0, 0, 0, 0, sizeof(void*) * groups::max_groups},
      {"mutexes of every worker", "private", "mutexes", 0, 2 * sizeof(std::uint64_t)},
      {"allocation: addresses and their index", "private", "allocation", 0,
       sizeof(void*) + hash_node<const void*, std::uint64_t>},
      {"allocation: exchange of addresses", "private", "init", 0, 3 * 2 * sizeof(std::uint64_t)},
      {"host keys, while they are exchanged", "private", "init",
       sizeof(pr::HostKey) + sizeof(shm::ObjectName)},
      {"split, while it is made", "private", "init", sizeof(pr::RankPlace) + 3 * sizeof(int), 0,
       sizeof(pr::Host) + 2 * block_bytes},
      {"rows of the directory, while they are exchanged", "private", "init",
       sizeof(groups::HostPlace::name) + sizeof(std::uint64_t) + sizeof(groups::ProcessRanks) +
           sizeof(groups::PlacedProcess) + sizeof(std::int32_t)},
      {"link to a server", "private", "traffic", 0, 0, sizeof(op::remote::Link) + hash_node<int, void*>},
      {"ledger: writes to a server", "private", "traffic", 0, 0, 40 + block_bytes + 2 * sizeof(void*)},
      {"ledger: writes to a target", "private", "traffic", 0,
       hash_node<Gpid, std::pair<std::uint64_t, std::uint64_t>>},
  };
}

std::vector<Table> shared_tables() {
  using namespace comex;
  constexpr double board = 4096;  // api::board_layout_bytes
  constexpr double buffers = 16;  // of an outbox, with as many servers or more
  return {
      {"directory: place of every worker", "shared", "always", 0, sizeof(groups::WorkerPlace)},
      {"directory: numbers of every worker", "shared", "always", 0, sizeof(groups::WorkerNumbers)},
      {"directory: hosts", "shared", "always", 0, 0, sizeof(groups::HostPlace)},
      {"directory: slot of every rank", "shared", "always", sizeof(std::int32_t)},
      {"arena: header, barrier", "shared", "always", 0, 0, 0, 0, 2.0 * shm::page_bytes},
      {"arena: slots and boards", "shared", "always", 0, 0, 0, sizeof(shm::SlotBlock) + board},
      {"arena: outboxes", "shared", "always", 0, 0, 0, double(shm::Outbox::bytes_for(unsigned(buffers)))},
      {"arena: stripes", "shared", "always", 0, 0, 0, 0, 64.0 * shm::stripe_count},
      {"server: account and queue of an origin", "server", "traffic", 0,
       sizeof(pr::Origin) + sizeof(pr::Credits::Account) + 2 * (block_bytes + 2 * sizeof(void*))},
      {"server: one credit of every origin", "server", "traffic", 0, comex::protocol::message_bytes},
      {"server: pool of credits", "server", "traffic", 0, 0, 0, 0, 16.0 * 1024 * 1024},
  };
}

void print(const Table& t, bool is_last) {
  std::printf(
      "  {\"name\": \"%s\", \"place\": \"%s\", \"when\": \"%s\", \"per_rank\": %g, \"per_worker\": %g, "
      "\"per_host\": %g, \"per_local_rank\": %g, \"fixed\": %.0f}%s\n",
      t.name, t.place, t.when, t.per_rank, t.per_worker, t.per_host, t.per_local_rank, t.fixed,
      is_last ? "" : ",");
}

}  // namespace

int main() {
  std::vector<Table> tables = private_tables();
  for (const Table& table : shared_tables()) tables.push_back(table);
  std::puts("{\"tables\": [");
  for (std::size_t i = 0; i < tables.size(); ++i) print(tables[i], i + 1 == tables.size());
  std::puts("]}");
  return 0;
}
