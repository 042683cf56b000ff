// The worked example of local and global ids: P1 of {P0, P1} spawns P2, then P0 and P2 meet; and what stays
// when they part. Usage: spawn spawner|parent [threads|threadless]
// threadless: the system has no threads for who spawns.
#include <array>
#include <cstdlib>

#include "mpi/told.h"
#include "support/no_threads.h"
#include "worlds/worlds.h"

using namespace comex::testing;

namespace {

constexpr comex_gpid_t p0{0, 0};
constexpr comex_gpid_t p1{0, 1};
bool knows_the_launcher() {
  const char* const knowledge = std::getenv("COMEX_MPI_KNOWLEDGE");
  return knowledge == nullptr || std::string(knowledge) != "none";
}

// The child's world has the launcher's number for its job, or one that follows from who spawned it.
std::uint32_t child_world() {
  return knows_the_launcher() ? 1 : 7;
}
const comex_gpid_t p2{child_world(), 0};

comex_group_t intergroup(const Job& job, int local_leader, comex_group_t peer, int remote_leader) {
  comex_group_t inter = COMEX_GROUP_NULL;
  job.done(comex_intergroup_create(everyone, local_leader, peer, remote_leader, 7, &inter));
  return inter;
}

void is_inter_of(const Job& job, comex_group_t inter, int near, int far) {
  int size = -1;
  job.done(comex_group_size(inter, &size));
  job.equal(size, near, "the size of the near side");
  job.done(comex_group_remote_size(inter, &size));
  job.equal(size, far, "the size of the far side");
}

// Its ranks are the other side's, of whom no group has the caller: neither rank 0 nor those of the own side.
void makes_no_group(const Job& job, comex_group_t inter) {
  int ranks[] = {0, 1};
  comex_set_errors(COMEX_ERRORS_RETURN);
  for (int n = 1; n <= 2; ++n) {
    comex_group_t made = -77;
    const std::string line = told([&] {
      job.equal(comex_group_create(n, ranks, inter, &made), COMEX_FAILURE, "creating from an inter-group");
    });
    const std::string wanted =
        "group_create: group " + std::to_string(inter) + " is an inter-group; merge it first\n";
    job.require(line.ends_with(wanted) && line.find('\n') == line.size() - 1, line.c_str());
    job.equal(made, -77, "the output of a creation that was refused");
  }
  comex_group_t made = -77;
  void* place = nullptr;
  int home = 0;
  const std::string lines = told([&] {
    job.equal(comex_group_shrink(inter, &made), COMEX_FAILURE, "shrinking an inter-group");
    job.equal(comex_recover(nullptr, inter, &place, &home), COMEX_FAILURE, "recovering over an inter-group");
  });
  job.require(lines.find("group_shrink: group " + std::to_string(inter) +
                         " is an inter-group; merge it first\n") != lines.npos,
              lines.c_str());
  int rank = -1;
  job.done(comex_group_rank(inter, &rank));
  const bool is_told = lines.find("recover: group " + std::to_string(inter) + " spans worlds") != lines.npos;
  job.require(is_told == (rank == 0), "one of a side says why nothing is recovered");
  comex_set_errors(COMEX_ERRORS_ABORT);
}

// Members alone make groups of a group that spans worlds, and of processes that they know.
void parts_of_both_worlds(const Job& job, comex_group_t merged, int rank) {
  if (rank != 1) {
    int ranks[] = {2, 0};
    comex_group_t part = COMEX_GROUP_NULL;
    job.done(comex_group_create(2, ranks, merged, &part));
    int found = -1;
    MPI_Comm comm = MPI_COMM_WORLD;
    job.done(comex_group_rank(part, &found));
    job.equal(found, rank == 2 ? 0 : 1, "the rank in a part of both worlds");
    job.done(comex_group_comm(part, &comm));
    job.require(comm == MPI_COMM_NULL, "a group that spans worlds has no communicator");
    data_travels(job, part);
    job.done(comex_group_free(part));
  }
  comex_group_t all = named_group(job, {{child_world(), 0}, {0, 1}, {0, 0}});
  data_travels(job, all);
  job.done(comex_world_disconnect(&all));
}

// Both sides call it; the parents come first.
comex_group_t merge_and_use(const Job& job, comex_group_t inter, int high, int rank) {
  comex_group_t merged = COMEX_GROUP_NULL;
  job.done(comex_group_merge(inter, high, &merged));
  int found = -1;
  job.done(comex_group_rank(merged, &found));
  job.equal(found, rank, "the rank in the merged group");
  job.done(comex_group_size(merged, &found));
  job.equal(found, 3, "the size of the merged group");
  std::array<comex_gpid_t, 3> gpids{};
  job.done(comex_gpids(merged, 3, gpids.data(), &found));
  job.equal(found, 0, "a group of two worlds being of a single one");
  data_travels(job, merged);
  job.done(comex_host_of(rank == 2 ? 0 : 2, merged, &found));
  job.require(found >= 1 << 24, "a process of another world is on a host of its own");
  std::array<void*, 3> parts{};
  comex_set_errors(COMEX_ERRORS_RETURN);
  job.equal(comex_malloc_kept(parts.data(), 8, 1, merged), COMEX_FAILURE, "kept memory of two worlds");
  comex_set_errors(COMEX_ERRORS_ABORT);
  parts_of_both_worlds(job, merged, rank);
  data_travels(job, merged);
  return merged;
}

// P0 opens a port before P2 is there; P1 tells P2 of it.
constexpr int port_bytes = 400;

// The inter-group of {P0} with {P2}, by their port and by an inter-group of both; `table`: what each has
// then.
void pair(const Job& job, const char* port, const Gpids& table, comex_gpid_t other, int known) {
  comex_group_t met = COMEX_GROUP_NULL;
  constexpr double limit_s = 20;
  job.done(other.world == 0 ? comex_world_connect(port, 0, COMEX_GROUP_SELF, limit_s, &met)
                            : comex_world_accept(port, 0, COMEX_GROUP_SELF, limit_s, &met));
  is_inter_of(job, met, 1, 1);
  has_table(job, table);
  has_references(job, other, 2, known);
  comex_group_t inter = COMEX_GROUP_NULL;
  job.done(comex_intergroup_create(COMEX_GROUP_SELF, 0, met, 0, 3, &inter));
  has_table(job, table);
  has_references(job, other, 3, known);
  data_crosses(job, inter);
  job.done(comex_world_disconnect(&inter));
  has_references(job, other, 2, known);
  job.done(comex_world_disconnect(&met));
}

// The child's node rank is the next one on the machine, which all virtual hosts share.
void follows_on_its_host(const Job& job) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  comex_process_ranks_t child{};
  job.done(comex_process_ranks(2, &child));
  job.equal(child.local_rank, 0, "the child's local rank");
  job.equal(child.node_rank, knows_the_launcher() ? ranks : COMEX_RANK_INVALID, "the child's node rank");
}

void parents(Job& job, const char* program) {
  const Gpids alone{{0, 0}, {0, 1}};
  const Gpids with_child{{0, 0}, {0, 1}, {child_world(), 0}};
  job.equal(job.workers, 2, "the workers of the parents' world");
  comex_group_t parent = 0;
  job.done(comex_world_parent(&parent));
  job.equal(parent, COMEX_GROUP_NULL, "the parent of a world that nobody spawned");

  std::array<char, port_bytes> port{};
  if (job.me == 0) {
    job.done(comex_world_open_port(port.data(), port_bytes));
    MPI_Send(port.data(), port_bytes, MPI_CHAR, 1, 0, job.comm);
  } else {
    MPI_Recv(port.data(), port_bytes, MPI_CHAR, 0, 0, job.comm, MPI_STATUS_IGNORE);
  }
  comex_group_t children = COMEX_GROUP_NULL;
  job.check("P1 spawns P2 over itself", [&] {
    has_table(job, alone);
    if (job.me != 1) return;
    std::vector<char*> arguments;
    std::vector<std::string> texts = job.arguments;
    texts.emplace_back(port.data());
    for (std::string& text : texts) arguments.push_back(text.data());
    arguments.push_back(nullptr);
    const auto spawn = [&] {
      job.done(comex_world_spawn(program, arguments.data(), 1, 0, COMEX_GROUP_SELF, &children));
    };
    if (job.has("threadless")) {
      get_no_threads();
      const std::string lines = told(spawn);
      for (const char* text : {"world_spawn: goes on without a time limit: pthread_create",
                               "meeting: goes on without a time limit: pthread_create"})
        job.require(lines.find(text) != lines.npos, lines.c_str());
      job.require(lines.find("may go unnoticed") == lines.npos, lines.c_str());
    } else {
      spawn();
    }
    has_table(job, with_child);
    has_references(job, p2, 2, 1);
    is_inter_of(job, children, 1, 1);
    follows_on_its_host(job);
  });
  job.check("P0 knows nothing of it", [&] {
    if (job.me == 0) has_table(job, alone);
  });
  job.check("an inter-group of {P0} with {P2} adds P2 to P0", [&] {
    if (job.me == 0) pair(job, port.data(), with_child, p2, 1);
    has_table(job, job.me == 0 ? alone : with_child);
  });
  comex_group_t inter = COMEX_GROUP_NULL;
  job.check("an inter-group of both worlds adds P2 to P0 and nothing to P2", [&] {
    inter = intergroup(job, 1, children, 0);
    is_inter_of(job, inter, 2, 1);
    makes_no_group(job, inter);
    has_table(job, with_child);
    has_references(job, p2, job.me == 0 ? 2 : 3, 1);
  });
  comex_group_t merged = COMEX_GROUP_NULL;
  job.check("one-sided operations cross the worlds", [&] { merged = merge_and_use(job, inter, 0, job.me); });
  job.check("what stays as they part", [&] {
    const int more = job.me == 0 ? 0 : 1;
    has_references(job, p2, 3 + more, 1);
    job.done(comex_world_disconnect(&inter));
    job.equal(inter, COMEX_GROUP_NULL, "a group that was disconnected");
    has_references(job, p2, 2 + more, 1);
    data_travels(job, merged);
    job.done(comex_world_disconnect(&merged));
    if (job.me == 0) {
      has_table(job, alone);
      return;
    }
    has_references(job, p2, 2, 1);
    if (job.has("parent")) {
      job.done(comex_group_free(children));
      has_references(job, p2, 1, 1);
      has_table(job, with_child);
      return;
    }
    job.done(comex_world_disconnect(&children));
    has_table(job, alone);
  });
}

void child(Job& job, comex_group_t parent) {
  const bool by_parent = job.has("parent");
  const Gpids all =
      by_parent ? Gpids{{child_world(), 0}, {0, 1}, {0, 0}} : Gpids{{child_world(), 0}, {0, 0}, {0, 1}};
  job.equal(job.workers, 1, "the workers of the spawned world");
  comex_group_t inter = COMEX_GROUP_NULL;
  job.check("a child knows its parents", [&] {
    has_table(job, all);
    is_inter_of(job, parent, 1, 1);
    has_references(job, p1, 2, 1);
    has_references(job, p0, 0, 1);
  });
  job.check("an inter-group of {P0} with {P2} adds nothing to P2", [&] {
    pair(job, job.arguments.back().c_str(), all, p0, 2);
    has_table(job, all);
    has_references(job, p0, 0, 1);
  });
  job.check("nor does one of both worlds", [&] {
    inter = intergroup(job, 0, parent, 0);
    is_inter_of(job, inter, 1, 2);
    makes_no_group(job, inter);
    has_table(job, all);
    has_references(job, p1, 3, 2);
    has_references(job, p0, 2, 2);
  });
  comex_group_t merged = COMEX_GROUP_NULL;
  job.check("one-sided operations cross the worlds", [&] { merged = merge_and_use(job, inter, 1, 2); });
  job.check("what stays as they part", [&] {
    job.done(comex_world_disconnect(&inter));
    data_travels(job, merged);
    job.done(comex_world_disconnect(&merged));
    has_references(job, p1, 2, 1);
    if (by_parent) {
      job.done(comex_group_free(parent));
      has_table(job, all);
    } else {
      job.done(comex_world_disconnect(&parent));
      has_table(job, {{child_world(), 0}});
    }
    comex_group_t next = COMEX_GROUP_NULL;  // takes the parent's number
    job.done(comex_group_dup(everyone, &next));
    comex_group_t none = 0;
    job.done(comex_world_parent(&none));
    job.equal(none, COMEX_GROUP_NULL, "the parent that was left");
    job.done(comex_group_free(next));
  });
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "spawn");
  comex_group_t parent = COMEX_GROUP_NULL;
  job.done(comex_world_parent(&parent));
  if (parent == COMEX_GROUP_NULL) {
    parents(job, argv[0]);
  } else {
    child(job, parent);
  }
}
