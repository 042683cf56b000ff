// Who is who in a world without others: ids, process ranks, reference counts, duplicates and parts.
// Usage: identities [threads] [apps] [parts] [late] [manager=N]
#include <comex/worlds.h>

#include <numeric>

#include "mpi/told.h"
#include "worlds/agreement.h"
#include "worlds/late.h"

using namespace comex::testing;

namespace {

int connection(const Job& job, int worker) {
  int count = -1;
  job.done(comex_connection_references({world_of(job), static_cast<std::uint32_t>(worker)}, &count));
  return count;
}

int table(const Job& job, comex_group_t group) {
  int count = -1;
  job.done(comex_table_references(group, &count));
  return count;
}

// What init leaves: the world's table and that of the self group.
void counts_after_init(const Job& job) {
  int world = -1;
  job.done(comex_world_references(world_of(job), &world));
  job.equal(world, job.workers, "the world's references");
  for (int worker = 0; worker < job.workers; ++worker) {
    job.equal(connection(job, worker), worker == job.me ? 3 : 2, "a connection's references");
  }
  job.equal(table(job, everyone), 1, "the world's table's references");
  job.equal(table(job, COMEX_GROUP_SELF), 1, "the self group's table's references");
}

void ids_of_the_world(const Job& job) {
  const auto size = static_cast<std::size_t>(job.workers);
  std::vector<comex_gpid_t> gpids(size);
  std::vector<int> lpids(size, -7);
  int is_single = 0;
  int count = 0;
  job.done(comex_gpids(everyone, job.workers, gpids.data(), &is_single));
  job.done(comex_gpids_to_lpids(job.workers, gpids.data(), lpids.data()));
  job.done(comex_lpid_count(&count));
  job.equal(is_single, 1, "the world being a single one");
  job.equal(count, job.workers, "the lpids there are");
  for (int rank = 0; rank < job.workers; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    comex_gpid_t again{};
    job.equal(gpids[at].rank, static_cast<std::uint32_t>(rank), "a gpid's rank");
    job.equal(gpids[at].world, gpids[0].world, "a gpid's world");
    job.equal(lpids[at], rank, "an lpid of the own world");
    job.done(comex_lpid_to_gpid(rank, &again));
    job.equal(again.rank, gpids[at].rank, "the gpid of an lpid");
  }
  job.done(comex_lpids(everyone, job.workers, lpids.data()));
  job.equal(lpids.back(), job.workers - 1, "the last lpid");
  int managed = 0;
  for (const std::string& argument : job.arguments) {
    if (argument.rfind("manager=", 0) == 0) managed = std::atoi(argument.c_str() + 8);
  }
  job.equal(static_cast<int>(gpids[0].world >> 24), managed, "the manager in a world's number");
}

// Who is going to meet has nothing under way, to whomever it was, even if the meeting then fails.
void meeting_fences(const Job& job) {
  constexpr int bytes = 8 << 20;
  const Everywhere<char> places(job, bytes);
  std::vector<char> data(bytes, 'x');
  for (int target = 0; target < job.workers; ++target) {
    const int before = connection(job, target);
    job.done(comex_nbput(data.data(), places.of(target), bytes, target, everyone, nullptr));
    comex_set_errors(COMEX_ERRORS_RETURN);
    comex_group_t nobody = COMEX_GROUP_NULL;
    job.equal(
        comex_world_connect("127.0.0.1:9:0123456789abcdef0123456789abcdef", 0, COMEX_GROUP_SELF, 0, &nobody),
        COMEX_FAILURE, "connecting to nobody");
    comex_set_errors(COMEX_ERRORS_ABORT);
    job.equal(connection(job, target), before, "a connection's references, with nothing under way");
  }
  job.done(comex_barrier(everyone));
}

// Each call speaks under its own name and in its own words.
void lines_speak_as_the_call_does(const Job& job) {
  comex_group_t made = untouched;
  int lpid = -7;
  const auto says = [&](const std::string& words, auto call) {
    const std::string line = told(call);
    job.require(line.find(words) != std::string::npos, line.c_str());
  };
  comex_set_errors(COMEX_ERRORS_RETURN);
  says(": gpid_to_lpid: the place for the result is null", [] { comex_gpid_to_lpid({0, 0}, nullptr); });
  says(": gpid_to_lpid: ", [&] { comex_gpid_to_lpid({0xabcd, 0}, &lpid); });
  says("intergroup_create: local leader " + std::to_string(job.workers) + " is out of range",
       [&] { comex_intergroup_create(everyone, job.workers, everyone, 0, 3, &made); });
  says(": intergroup_create: the tag is -7; it must not be negative",
       [&] { comex_intergroup_create(COMEX_GROUP_SELF, 0, everyone, 0, -7, &made); });
  says(": world_close_port: the port is null", [] { comex_world_close_port(nullptr); });
  says(": world_disconnect: the place of the group's handle is null",
       [] { comex_world_disconnect(nullptr); });
  says(": lpids: the size is 0, but group 0 has " + std::to_string(job.workers) + " ranks",
       [&] { comex_lpids(everyone, 0, &lpid); });
  comex_set_errors(COMEX_ERRORS_ABORT);
}

// Unknown worlds and ranks are named; nothing is written.
void refusals(const Job& job) {
  comex_set_errors(COMEX_ERRORS_RETURN);
  int lpid = -7;
  comex_gpid_t gpid{9, 9};
  const std::uint32_t world = world_of(job);
  job.equal(comex_gpid_to_lpid({world + 1, 0}, &lpid), COMEX_FAILURE, "an unknown world");
  job.equal(comex_gpid_to_lpid({world, static_cast<std::uint32_t>(job.workers)}, &lpid), COMEX_FAILURE,
            "a rank past the world");
  job.equal(lpid, -7, "an output of a call that failed");
  job.equal(comex_lpid_to_gpid(job.workers, &gpid), COMEX_FAILURE, "an lpid that nobody has");
  job.equal(comex_gpid(everyone, -1, &gpid), COMEX_FAILURE, "a negative rank");
  job.equal(comex_gpids(everyone, job.workers + 1, &gpid, nullptr), COMEX_FAILURE, "a wrong size");
  job.equal(comex_group_free(COMEX_GROUP_SELF), COMEX_FAILURE, "freeing the self group");
  comex_group_t part = 5;
  job.equal(comex_group_split(everyone, job.me == 0 ? -3 : 1, 0, &part), COMEX_FAILURE, "a negative color");
  job.equal(part, 5, "an output of a collective that failed");
  comex_set_errors(COMEX_ERRORS_ABORT);
}

void process_ranks(const Job& job) {
  int vpid = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &vpid);
  const char* launched_local = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  const char* launched_node = std::getenv("OMPI_COMM_WORLD_NODE_RANK");
  const bool is_whole = std::getenv("COMEX_VIRTUAL_HOSTS") == nullptr;
  comex_process_ranks_t mine{};
  job.done(comex_process_ranks(job.me, &mine));
  job.equal(mine.vpid, vpid, "the vpid");
  if (is_whole && launched_local != nullptr) {
    job.equal(mine.local_rank, std::atoi(launched_local), "the local rank");
    job.equal(mine.node_rank, std::atoi(launched_node), "the node rank");
  }
  void* app = nullptr;
  int is_set = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &is_set);
  const bool is_second = job.has("apps") && is_set != 0 && *static_cast<int*>(app) == 1;
  job.equal(mine.app_rank, is_second ? vpid - 2 : vpid, "the app rank");
  std::vector<int> vpids(static_cast<std::size_t>(job.workers));
  MPI_Allgather(&vpid, 1, MPI_INT, vpids.data(), 1, MPI_INT, job.comm);
  for (int worker = 0; worker < job.workers; ++worker) {
    comex_process_ranks_t theirs{};
    job.done(comex_process_ranks(worker, &theirs));
    job.equal(theirs.vpid, vpids[static_cast<std::size_t>(worker)], "somebody's vpid");
    job.require(theirs.local_rank >= 0 && theirs.node_rank >= theirs.local_rank, "their ranks on the host");
    if (worker != job.me) job.equal(theirs.app_rank, COMEX_RANK_INVALID, "somebody else's app rank");
  }
}

void duplicates_share_the_table(const Job& job) {
  comex_group_t dup = COMEX_GROUP_NULL;
  job.done(comex_group_dup(everyone, &dup));
  job.equal(table(job, everyone), 2, "a table with a duplicate");
  job.equal(table(job, dup), 2, "a duplicate's table");
  job.equal(connection(job, job.me), 3, "a connection after dup");
  int result = -1;
  job.done(comex_group_compare(everyone, dup, &result));
  job.equal(result, int{COMEX_CONGRUENT}, "a duplicate compared");
  job.done(comex_group_compare(dup, dup, &result));
  job.equal(result, int{COMEX_IDENT}, "a group compared with itself");
  MPI_Comm comm = MPI_COMM_NULL;
  job.done(comex_group_comm(dup, &comm));
  int sum = 0;
  MPI_Allreduce(&job.me, &sum, 1, MPI_INT, MPI_SUM, comm);
  job.equal(sum, job.workers * (job.workers - 1) / 2, "a sum over a duplicate's communicator");
  job.done(comex_barrier(dup));
  job.done(comex_group_free(dup));
  job.equal(table(job, everyone), 1, "a table without duplicates");
}

// Evens and odds, last ones first; rank 0 of an odd world is left out.
void parts_count_for_their_members(const Job& job) {
  comex_group_t part = COMEX_GROUP_NULL;
  job.done(comex_group_split(everyone, job.me % 2, -job.me, &part));
  int size = 0;
  int rank = -1;
  job.done(comex_group_size(part, &size));
  job.done(comex_group_rank(part, &rank));
  job.equal(size, (job.workers + 1 - job.me % 2) / 2, "a part's size");
  job.equal(rank, size - 1 - job.me / 2, "the rank in a part that is turned round");
  std::vector<int> lpids(static_cast<std::size_t>(size));
  job.done(comex_lpids(part, size, lpids.data()));
  for (int i = 0; i < size; ++i) {
    job.equal(lpids[static_cast<std::size_t>(i)], job.me % 2 + 2 * (size - 1 - i), "a part's member");
  }
  for (int worker = 0; worker < job.workers; ++worker) {
    const int before = worker == job.me ? 3 : 2;
    job.equal(connection(job, worker), before + (worker % 2 == job.me % 2 ? 1 : 0),
              "a connection after split");
  }
  {
    Everywhere<long> words(job, 1, part);
    const long value = 10 + job.me;
    long sent = value;
    job.done(comex_put(&sent, words.of((rank + 1) % size), sizeof sent, (rank + 1) % size, part));
    job.done(comex_barrier(part));
    job.equal(*words.mine(), 10L + lpids[static_cast<std::size_t>((rank + size - 1) % size)],
              "a put in a part");
  }
  job.done(comex_group_free(part));
  job.equal(connection(job, job.me), 3, "a connection after the part was freed");

  job.done(comex_group_split(everyone, job.me == 0 ? MPI_UNDEFINED : 4, 0, &part));
  job.equal(part == COMEX_GROUP_NULL, job.me == 0, "being in no part");
  if (part != COMEX_GROUP_NULL) job.done(comex_group_free(part));
}

void groups_from_lpids(const Job& job) {
  std::vector<int> lpids(static_cast<std::size_t>(job.workers));
  std::iota(lpids.rbegin(), lpids.rend(), 0);
  comex_group_t turned = COMEX_GROUP_NULL;
  job.done(comex_group_from_lpids(job.workers, lpids.data(), &turned));
  int rank = -1;
  job.done(comex_group_rank(turned, &rank));
  job.equal(rank, job.workers - 1 - job.me, "the rank in a group from lpids");
  int result = -1;
  job.done(comex_group_compare(everyone, turned, &result));
  job.equal(result, job.workers == 1 ? int{COMEX_CONGRUENT} : int{COMEX_SIMILAR}, "the world turned round");
  job.done(comex_group_relation(everyone, turned, &result));
  job.equal(result, job.workers == 1 ? int{COMEX_IDENT} : int{COMEX_SIMILAR}, "its relation to the world");
  job.done(comex_group_compare(turned, COMEX_GROUP_SELF, &result));
  job.equal(result, job.workers == 1 ? int{COMEX_CONGRUENT} : int{COMEX_UNEQUAL}, "the world beside oneself");

  std::vector<void*> places(static_cast<std::size_t>(job.workers));
  void* const& mine = places[static_cast<std::size_t>(job.me)];
  long word = 0;
  comex_set_errors(COMEX_ERRORS_RETURN);
  job.done(comex_malloc(places.data(), 64, everyone));
  job.done(comex_free(mine, turned));
  job.equal(comex_get(mine, &word, sizeof word, job.me, everyone), COMEX_FAILURE,
            "a get of what was freed over the world turned round");
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.done(comex_group_free(turned));
}

// What both halves are merged to, and what is made of that, are groups of one world as any other.
void halves_become_whole(const Job& job) {
  const HalvesOfTheWorld halves(job);
  comex_group_t inter = COMEX_GROUP_NULL;
  comex_group_t merged = COMEX_GROUP_NULL;
  comex_group_t dup = COMEX_GROUP_NULL;
  comex_group_t part = COMEX_GROUP_NULL;
  job.done(halves.join(&inter));
  job.done(comex_group_merge(inter, 1 - job.me % 2, &merged));
  job.done(comex_group_dup(merged, &dup));
  job.done(comex_group_split(merged, job.me == 0 ? 1 : 0, -job.me, &part));
  for (const comex_group_t group : {merged, dup, part}) {
    has_communicator(job, group);
    job.done(comex_group_free(group));
  }
  job.done(comex_world_disconnect(&inter));
}

void the_self_group(const Job& job) {
  int size = 0;
  int rank = -1;
  int worker = -1;
  job.done(comex_group_size(COMEX_GROUP_SELF, &size));
  job.done(comex_group_rank(COMEX_GROUP_SELF, &rank));
  job.done(comex_group_translate_world(COMEX_GROUP_SELF, 0, &worker));
  job.equal(size, 1, "the self group's size");
  job.equal(rank, 0, "the rank in the self group");
  job.equal(worker, job.me, "who the self group is");
  Everywhere<long> word(job, 1, COMEX_GROUP_SELF);
  long old = -1;
  job.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, word.mine(), 5, 0, COMEX_GROUP_SELF));
  job.equal(old, 0L, "a counter of one's own");
  job.equal(*word.mine(), 5L, "a counter of one's own afterwards");
  comex_group_t dup = COMEX_GROUP_NULL;
  job.done(comex_group_dup(COMEX_GROUP_SELF, &dup));
  job.equal(table(job, dup), 2, "the self group's table with a duplicate");
  MPI_Comm comm = MPI_COMM_NULL;
  job.done(comex_group_comm(dup, &comm));
  job.require(comm != MPI_COMM_NULL, "a duplicate of the self group has a communicator");
  job.done(comex_group_free(dup));
}

// From another host nothing arrives while the caller does not wait; on its own all is done at once.
void get_under_way_is_counted(const Job& job, char* from, int target, comex_group_t group) {
  const int before = target == job.me ? 3 : 2;
  const bool is_apart = job.host(target) != job.host(job.me);
  const bool is_taken_by_threads = job.has("threads");
  char here = 'z';
  comex_request_t handle = 0;
  job.done(comex_nbget(from, &here, 1, target, group, &handle));
  for (int look = 0; look < 2 && !(is_apart && is_taken_by_threads); ++look) {
    job.equal(connection(job, target), before + (is_apart ? 1 : 0), "a connection with a get under way");
  }
  job.done(comex_wait(&handle));
  job.equal(connection(job, target), before, "a connection after it");
}

// A pending operation holds its connection; it is over before its group is gone.
void operations_under_way_hold_connections(const Job& job) {
  comex_group_t dup = COMEX_GROUP_NULL;
  job.done(comex_group_dup(everyone, &dup));
  {
    Everywhere<char> there(job, 1 << 20);
    std::vector<char> here(1 << 20, 'x');
    const int next = (job.me + 1) % job.workers;
    for (int target = 0; target < job.workers; ++target) {
      get_under_way_is_counted(job, there.of(target), target, dup);
    }
    job.done(comex_nbput(here.data(), there.of(next), 1 << 20, next, dup, nullptr));
    job.done(comex_group_free(dup));
    here.assign(here.size(), 'y');  // it is complete
    job.done(comex_barrier(everyone));
    job.equal(there.mine()[(1 << 20) - 1], 'x', "what was under way when the group was freed");
  }
}

// Nobody of a part sees the rest of the launch: the launcher's word counts, or nothing.
bool has_told_node_rank() {
  const char* const told = std::getenv("OMPI_COMM_WORLD_NODE_RANK");
  const int wanted = told == nullptr ? COMEX_RANK_INVALID : std::atoi(told);
  comex_process_ranks_t mine{};
  int me = -1;
  if (comex_group_rank(everyone, &me) != COMEX_SUCCESS || comex_process_ranks(me, &mine) != COMEX_SUCCESS)
    return false;
  if (mine.node_rank != wanted) std::printf("node rank %d, must be %d\n", mine.node_rank, wanted);
  return mine.node_rank == wanted;
}

// Two worlds over halves of the ranks have numbers of their own. The odd one is told no node ranks.
int parts(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  bool is_right = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank % 2 == 1) unsetenv("OMPI_COMM_WORLD_NODE_RANK");
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  comex_gpid_t gpid{};
  if (comex_init_comm(half) == COMEX_SUCCESS) {
    if (comex_gpid(everyone, 0, &gpid) != COMEX_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
    is_right = has_told_node_rank();
    comex_finalize();
  }
  std::vector<unsigned> worlds(4);
  MPI_Allgather(&gpid.world, 1, MPI_UNSIGNED, worlds.data(), 1, MPI_UNSIGNED, MPI_COMM_WORLD);
  const bool differ = worlds[0] != worlds[1];
  if (!differ) std::printf("worlds %u and %u\n", worlds[0], worlds[1]);
  MPI_Finalize();
  return differ && is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "parts") return parts(argc, argv);
  Job job(argc, argv, "identities");
  if (job.has("late")) {
    job.check("a side that came too late may come again", [&] { one_side_comes_too_late(job); });
    job.check("lists that wait in a circle make no group", [&] { lists_wait_in_a_circle(job); });
    job.check("lists that differ make no group", [&] { lists_differ(job); });
    return 0;
  }
  job.check("init leaves the counts it must", [&] { counts_after_init(job); });
  job.check("ids of the world are its ranks", [&] { ids_of_the_world(job); });
  job.check("unknown ids are refused", [&] { refusals(job); });
  job.check("lines speak as the call does", [&] { lines_speak_as_the_call_does(job); });
  job.check("process ranks are those of the launcher", [&] { process_ranks(job); });
  job.check("duplicates share the table", [&] { duplicates_share_the_table(job); });
  job.check("parts count for their members", [&] { parts_count_for_their_members(job); });
  job.check("groups from lpids", [&] { groups_from_lpids(job); });
  job.check("the self group", [&] { the_self_group(job); });
  if (job.workers > 1) {
    job.check("halves become whole", [&] { halves_become_whole(job); });
    job.check("one wrong argument fails all", [&] { one_wrong_argument_fails_all(job); });
    job.check("one failing hook fails both sides", [&] { one_failing_hook_fails_both_sides(job); });
    job.check("one full table fails all", [&] { one_full_table_fails_all(job); });
  }
  job.check("operations under way hold connections", [&] { operations_under_way_hold_connections(job); });
  job.check("who meets has nothing under way", [&] { meeting_fences(job); });
  job.check("nothing is left behind", [&] { counts_after_init(job); });
}
