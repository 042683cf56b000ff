// comex_bench_model: what each table of the runtime takes, from the structs themselves; built without MPI.
//
// Prints JSON for comex_bench --model: for every table its bytes for each rank of the job, each worker, each
// host, and fixed; and the sizes of which messages are made. The driver evaluates them for job sizes that
// nobody can run here.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/pieces.h"
#include "core/protocol.h"
#include "groups/connection_table.h"
#include "groups/directory.h"
#include "groups/group.h"
#include "groups/world_registry.h"
#include "members.h"
#include "nb/handle_table.h"
#include "nb/implicit_set.h"
#include "op/group_collective.h"
#include "op/remote/remote.h"
#include "op/stall_watch.h"
#include "pr/origin.h"
#include "pr/server.h"
#include "pr/setup/host_key.h"
#include "pr/setup/world_split.h"
#include "runtime/allocation_words.h"
#include "runtime/allocations.h"
#include "shm/arena_layout.h"
#include "shm/locks/fair_mutex.h"
#include "shm/locks/locks.h"
#include "shm/os.h"
#include "shm/outbox.h"
#include "transport/bundle.h"
#include "transport/send_pool.h"

namespace {

struct Table {
  const char* name;
  // private: in every process; shared: once a host; lowest: once a host too, in its lowest rank; server: in
  // every progress rank
  const char* place;
  // always, roles and init (before there is an arena, and beside it), gather (malloc and free, while they
  // run), claims (a free by others' addresses), allocation (each), group (each, of all workers, no range of
  // them), groups (as many as there can be), mutexes (one of every worker), handles (as many pending as there
  // can be), traffic (with every peer, after it), slots (of handles: all), open (something under way to every
  // peer), full (as much under way as may be), staging (traffic whose bodies cannot go where they belong)
  const char* when;
  double per_rank = 0;
  double per_worker = 0;
  double per_host = 0;
  double per_local_rank = 0;  // ranks of one host
  double fixed = 0;
  struct Step {  // of a job of at most so many ranks; the first that fits counts
    double most_ranks;
    double per_rank;
    double fixed = 0;
  };
  std::vector<Step> steps = {};
  double per_doubling = 0;  // log2 of the workers
};

constexpr double block_bytes = 16;  // what the allocator adds to a block
// A node of a hash table: the value, a pointer to the next, its block and its bucket.
template <class Key, class Value>
constexpr double hash_node = sizeof(std::pair<const Key, Value>) + sizeof(void*) + block_bytes +
                             sizeof(void*);
template <class Key, class Value>
constexpr double tree_node = sizeof(std::pair<const Key, Value>) + 4 * sizeof(void*) + block_bytes;
constexpr double list_node = 2 * sizeof(void*) + block_bytes;
constexpr double doubling = 2;  // a vector that has just grown

using namespace comex::model;
constexpr double handles = comex::nb::HandleTable::completed_handle;  // slots there can be
constexpr double handle_chunk = comex::nb::HandleTable::chunk_slots;
constexpr double handle_slot = comex::nb::HandleTable::slot_bytes();
const auto outstanding = double(comex::op::RemoteOptions{}.max_outstanding);
constexpr double window = comex::op::GroupCollective::window_bytes;
constexpr double group = sizeof(comex::groups::Group) + sizeof(comex::groups::SharedTable) +
                         sizeof(comex::op::GroupCollective) + tree_node<int, GroupExtras> + 3 * block_bytes;

std::vector<Table> private_tables() {
  using namespace comex;
  return {
      {"split: places of the own host's ranks", "private", "always", 0, 0, 0,
       sizeof(pr::RankPlace) + 2 * sizeof(int), sizeof(pr::SplitShare)},
      {"registry of worlds: the own one", "private", "always", 0, 0, 0, 0,
       sizeof(groups::WorldRegistry) + sizeof(groups::WorldDescription) + 16 * block_bytes},
      {"table of groups: its first page", "private", "always", 0, 0, 0, 0,
       sizeof(groups::GroupTable) + double(shm::page_bytes)},
      {"groups, regular ones: all there can be", "private", "groups", 0, 0, 0, 0,
       groups::max_groups * (group + sizeof(void*))},
      {"group: itself, its collectives", "private", "group", 0, 0, 0, 0, group},
      {"group, irregular: the list of its members", "private", "group", 0,
       double(groups::ConnectionTable::listed_member_bytes())},
      {"handles: their chunks' places, the first chunk", "private", "always", 0, 0, 0, 0,
       handles / handle_chunk * sizeof(void*) + handle_chunk * handle_slot},
      {"handles: all chunks, as many as there can be", "private", "slots", 0, 0, 0, 0, handles * handle_slot},
      {"handles: slots, half of them in use", "private", "handles", 0, 0, 0, 0,
       2 * outstanding * handle_slot},
      {"handles: what each one pending is for", "private", "handles", 0, 0, 0, 0,
       doubling * outstanding * sizeof(op::WaitReason)},
      {"mutexes: words of the own host, while they are made", "private", "mutexes", 0, 0, 0, sizeof(Maximum)},
      {"allocation: its group, the own part", "private", "allocation", 0, 0, 0, 0,
       tree_node<AllocationKey, runtime::Allocation> + hash_node<const void*, AllocationKey>},
      {"verdicts of the own host on who does what", "private", "gather", 0, 0, 0,
       sizeof(runtime::AllocationVerdict)},
      {.name = "addresses on their way to the caller's array",
       .place = "private",
       .when = "gather",
       .fixed = window,  // on its way out
       .per_doubling = window},
      {"claims, and addresses that are looked for", "private", "claims", 0,
       sizeof(runtime::Claim) + sizeof(runtime::Claim::address)},
      {"host keys, among those that look alike", "private", "init", 0, 0, 0,
       sizeof(pr::HostKey) + sizeof(shm::ObjectName) + 3 * sizeof(RankNumber)},
      {"node ranks of the own host, while they are collected", "private", "init", 0, 0, 0, sizeof(NodeRank)},
  };
}

// What traffic leaves, and what it takes meanwhile.
std::vector<Table> traffic_tables() {
  using namespace comex;
  using op::Remote;
  constexpr double channel =
      hash_node<TransportRank, op::remote::Channel> + doubling * sizeof(void*);  // in the list of dirty ones
  constexpr double entry =
      hash_node<Lpid, EntryBytes<nb::ImplicitSet::entry_bytes()>> + doubling * sizeof(void*);
  constexpr double request = sizeof(op::remote::Request) + sizeof(void*);
  constexpr double transfer = sizeof(op::remote::Transfer) + sizeof(void*);
  constexpr double slot = doubling * (2 * sizeof(void*) + sizeof(std::uint32_t));
  constexpr double batch = sizeof(op::remote::Batch) + answers * sizeof(op::remote::Batch::Answer);
  constexpr double pooled = comex::nb::ObjectPool<int>::chunk_objects;
  return {
      {"channel to an idle server", "private", "traffic", 0, 0, sizeof(op::remote::IdlePeer)},
      {"channels that stay", "private", "traffic", 0, 0, 0, 0, double(Remote::kept_channels) * channel},
      {"implicit set: targets that need not be forgotten", "private", "traffic", 0, 0, 0, 0,
       double(nb::ImplicitSet::kept) * entry},
      {"pools, tables, lists: what is not given back", "private", "traffic", 0, 0, 0, 0,
       pooled * (request + op::remote::kept_addresses * sizeof(void*) + transfer + batch) +
           few_entries * (slot + 4 * sizeof(void*) + sizeof(op::WaitReason)) +
           4 * few_buckets * sizeof(void*)},
      {"channel to a server", "private", "open", 0, 0, channel},
      {"request of its fence", "private", "open", 0, 0, request},
      {"implicit set: targets, at most", "private", "open", 0, 0, 0, 0, 2 * outstanding * entry},
      {"requests, answers that batches await", "private", "full", 0, 0, 0, 0,
       outstanding * (request + doubling * sizeof(op::remote::Batch::Answer))},
      {"transfers, slots of replies", "private", "full", 0, 0, 0, 0,
       double(protocol::slot_count) * (transfer + slot)},
      {"staging of scattered bodies", "private", "full", 0, 0, 0, 0,
       double(op::remote::max_staged) * double(comex::staging_buffer_bytes(pr::ServerOptions{}.chunk_bytes))},
  };
}

std::vector<Table> shared_tables() {
  using namespace comex;
  constexpr double buffers = 16;  // of an outbox, with as many servers or more
  constexpr double split_host =   // with one progress rank, which is listed twice
      doubling * sizeof(pr::Host) + 2 * block_bytes + (1 + doubling) * sizeof(RankNumber);
  return {
      {"directory: place of every worker", "shared", "always", 0, sizeof(groups::WorkerPlace)},
      {"directory: node rank of every worker", "shared", "always", 0, sizeof(NodeRank)},
      {"directory: hosts", "shared", "always", 0, 0, sizeof(groups::HostPlace)},
      {"directory: slot of every rank", "shared", "always", sizeof(std::int32_t)},
      {"machines of all ranks, in the rank that splits", "lowest", "roles", 2 * sizeof(RankNumber), 0,
       tree_node<int, std::int32_t[3]> + tree_node<std::pair<int, int>, std::size_t>},
      {"split, as it is made", "lowest", "roles", sizeof(RankNumber), sizeof(RankNumber), split_host},
      {"split, in the rank that made it", "lowest", "init", sizeof(RankNumber), sizeof(RankNumber),
       split_host},
      {"rows of hosts, node ranks, on their way into the directory", "lowest", "init", sizeof(NodeRank), 0,
       sizeof(HostRow) + doubling * sizeof(std::size_t)},
      {"arena: header, barrier", "shared", "always", 0, 0, 0, 0, 2.0 * shm::page_bytes},
      {"arena: slots and boards", "shared", "always", 0, 0, 0, sizeof(shm::SlotBlock) + board_bytes},
      {"arena: outboxes", "shared", "always", 0, 0, 0, double(shm::Outbox::bytes_for(unsigned(buffers)))},
      {"arena: stripes", "shared", "always", 0, 0, 0, 0, 64.0 * shm::stripe_count},
      {"arena: mutexes, one of every rank", "shared", "mutexes", 0, 0, 0, sizeof(shm::FairMutexBlock)},
  };
}

// One piece of a body for every origin, where it needs room of its own.
std::vector<Table::Step> pieces_of_every_origin(const comex::pr::ServerOptions& options) {
  std::vector<Table::Step> steps;
  for (std::uint64_t ranks = 1;;) {
    const std::uint32_t piece = comex::piece_bytes(options.chunk_bytes, ranks, options.staging_reserve);
    if (comex::fits_in_message_copy(piece)) return steps;
    const std::uint64_t most = options.staging_reserve / piece;
    steps.push_back({double(most), double(comex::staging_buffer_bytes(piece)) + block_bytes});
    ranks = most + 1;
  }
}

// Room for bundles, where hosts are machines and messages are whole ones. What is with MPI is not among
// it: between machines it takes messages as short as these at once.
std::vector<Table> transport_tables() {
  using namespace comex;
  const double whole = pieces_of_every_origin(pr::ServerOptions{}).back().most_ranks;
  const auto ring = [](bool takes_bundles) {
    return double(transport::ring_slots) * double(transport::ring_slot_bytes(takes_bundles)) + block_bytes;
  };
  const auto outgoing = [](std::size_t bytes, std::size_t kept) {  // and one that is being filled
    return double(1 + kept) * (double(bytes) + block_bytes);
  };
  const auto messages = [&](double ranks) {
    return outgoing(protocol::message_bytes, transport::kept_messages(std::uint64_t(ranks)));
  };
  return {{.name = "receives of small messages",
           .place = "private",
           .when = "always",
           .steps = {{whole, 0, ring(true)}, {1e18, 0, ring(false)}}},
          {.name = "messages to send: buffers that are kept",
           .place = "private",
           .when = "traffic",
           .steps = {{whole, 0, messages(1) + outgoing(protocol::bundle_bytes, transport::kept_bundles)},
                     {1e18, 0, messages(1e18)}}}};
}

// What an origin has a copy of a message for, and as many as the pool lends: shorter where pieces are least.
struct Copies {
  explicit Copies(const comex::pr::ServerOptions& options)
      : most_ranks{pieces_of_every_origin(options).back().most_ranks, 1e18},
        credits{lent(options, comex::protocol::message_bytes), lent(options, comex::short_message)} {}

  static double lent(const comex::pr::ServerOptions& options, std::size_t message_bytes) {
    const std::size_t whole = options.pool_bytes / message_bytes;
    return double(whole);
  }

  std::vector<Table::Step> of_every_rank() const {
    return {{most_ranks[0], bytes[0]}, {most_ranks[1], bytes[1]}};
  }
  std::vector<Table::Step> of_the_pool() const {
    return {{most_ranks[0], 0, credits[0] * bytes[0]}, {most_ranks[1], 0, credits[1] * bytes[1]}};
  }
  // With each message where it is of this length, in all jobs but the most vast.
  std::vector<Table::Step> with_long_ones(double each) const {
    return {{most_ranks[0], each, credits[0] * each}, {most_ranks[1], 0, 0}};
  }
  std::vector<Table::Step> beside_the_pool(double each) const {
    return {{most_ranks[0], 0, credits[0] * each}, {most_ranks[1], 0, credits[1] * each}};
  }

  double most_ranks[2];
  double credits[2];
  double bytes[2] = {comex::protocol::message_bytes + around, comex::short_message + around};

 private:
  static constexpr double around = block_bytes + doubling * sizeof(comex::pr::MessageCopy);
};

// Each message that was admitted and is not finished has an entry and a copy; a large one that runs a
// transfer, a batch the item it is at, which is less. The answers of a batch and the least pieces of a body
// lie in the copy.
std::vector<Table> server_tables() {
  using namespace comex;
  constexpr double entry = sizeof(pr::Entry) + list_node;
  constexpr double transfer = sizeof(pr::BodyTransfer) + block_bytes;
  constexpr double turn = doubling * sizeof(void*);
  const pr::ServerOptions options;
  const std::uint64_t pooled = options.staging_bytes / smallest_piece * staging_buffer_bytes(smallest_piece);
  const Copies copies(options);
  const double account = sizeof(pr::Origin) + sizeof(pr::Credits::Account) + 2 * list_node +
                         hash_node<TransportRank, void*> + doubling * sizeof(void*);
  return {
      {"account of an origin that has spoken", "server", "traffic", 0, account},
      {"entries: a message and a fence of every origin", "server", "traffic", 0,
       2 * (entry + turn) + block_bytes},
      {"transfer of a large message of every origin", "server", "traffic", 0, transfer},
      {.name = "copy of a message of every origin",
       .place = "server",
       .when = "traffic",
       .steps = copies.of_every_rank()},
      {.name = "pool of credits: copies",
       .place = "server",
       .when = "traffic",
       .steps = copies.of_the_pool()},
      {.name = "pool of credits: entries and transfers",
       .place = "server",
       .when = "traffic",
       .steps = copies.beside_the_pool(entry + turn + transfer)},
      {"staging: pool of pieces, one chunk to drop", "server", "staging", 0, 0, 0, 0,
       double(pooled) + options.chunk_bytes},
      {.name = "staging: reserve, a piece of every origin",
       .place = "server",
       .when = "staging",
       .steps = pieces_of_every_origin(options)},
      {.name = "short bodies that came with their requests",
       .place = "server",
       .when = "staging",
       .steps = copies.with_long_ones(transport::short_body_bytes + block_bytes)},
  };
}

void print(const Table& t, bool is_last) {
  std::printf(
      "  {\"name\": \"%s\", \"place\": \"%s\", \"when\": \"%s\", \"per_rank\": %.9g, \"per_worker\": %.9g, "
      "\"per_host\": %.9g, \"per_local_rank\": %.9g, \"fixed\": %.0f, \"per_doubling\": %.9g, "
      "\"steps\": [",
      t.name, t.place, t.when, t.per_rank, t.per_worker, t.per_host, t.per_local_rank, t.fixed,
      t.per_doubling);
  for (const Table::Step& step : t.steps) {
    std::printf("%s[%.0f, %.9g, %.0f]", &step == t.steps.data() ? "" : ", ", step.most_ranks, step.per_rank,
                step.fixed);
  }
  std::printf("]}%s\n", is_last ? "" : ",");
}

// What is agreed on by a minimum: who has a say in settings; has read them, understood others', agrees; has
// no name to warn of; is of the only program, is lowest in MPI_COMM_WORLD, knows the world's name; has made
// the probe; has split; is not cut and shows nothing; has no lack of threads.
constexpr int init_minima = 12;
// All ranks at once, into those that look alike, lowest ones, workers; MPI gathers a color and a key of each.
constexpr int init_splits = 3;
constexpr std::size_t split_words = 2 * sizeof(int);

void print_sizes() {
  using namespace comex;
  std::printf(
      "\"sizes\": {\"request\": %zu, \"reply\": %zu, \"control\": %zu, \"message\": %zu, \"item\": %zu, "
      "\"repeated\": %zu, "
      "\"address\": %zu, \"window\": %zu, \"verdict\": %zu, \"maximum\": %zu, \"pool\": %.0f, \"reserve\": "
      "%.0f, \"chunk\": %u, "
      "\"piece\": %u, ",
      sizeof(protocol::RequestHeader), sizeof(protocol::ReplyHeader), sizeof(protocol::ControlHeader),
      protocol::message_bytes, sizeof(protocol::BatchItem), sizeof(protocol::RepeatedItem), sizeof(void*),
      op::GroupCollective::window_bytes, sizeof(runtime::AllocationVerdict), sizeof(Maximum),
      double(pr::ServerOptions{}.pool_bytes), double(pr::ServerOptions{}.staging_reserve),
      pr::ServerOptions{}.chunk_bytes, smallest_piece);
  std::printf("\"minima\": %d, \"splits\": %d, \"split\": %zu, ", init_minima, init_splits, split_words);
  std::printf("\"rank\": %zu, \"node_rank\": %zu, \"host_row\": %zu}\n", sizeof(RankNumber), sizeof(NodeRank),
              sizeof(HostRow));
}

}  // namespace

int main() {
  std::vector<Table> tables = private_tables();
  for (const Table& table : transport_tables()) tables.push_back(table);
  for (const Table& table : traffic_tables()) tables.push_back(table);
  for (const Table& table : shared_tables()) tables.push_back(table);
  for (const Table& table : server_tables()) tables.push_back(table);
  std::puts("{\"tables\": [");
  for (std::size_t i = 0; i < tables.size(); ++i) print(tables[i], i + 1 == tables.size());
  std::puts("],");
  print_sizes();
  std::puts("}");
  return 0;
}
