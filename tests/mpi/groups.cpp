// Groups: made by members or by all, in any order, one inside another, beside and across each other; and
// everything that takes a group. Usage: groups [threads] [long]
//        groups without_end    until MPI has no more communicators
#include <comex/worlds.h>
#include <malloc.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <thread>

#include "mpi/job.h"

using namespace comex::testing;

namespace {

comex_group_t make(const Job& job, std::vector<int> ranks, comex_group_t parent = everyone) {
  comex_group_t made = COMEX_GROUP_NULL;
  job.done(comex_group_create(static_cast<int>(ranks.size()), ranks.data(), parent, &made));
  return made;
}

bool holds(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// `members`: the group's ranks as workers of the world, in order. Called by members.
void everything_works_in(const Job& job, comex_group_t group, const std::vector<int>& members) {
  const int size = static_cast<int>(members.size());
  int rank = -1;
  int found = -1;
  job.done(comex_group_rank(group, &rank));
  job.done(comex_group_size(group, &found));
  job.equal(found, size, "the size of a group");
  job.equal(members[static_cast<std::size_t>(rank)], job.me, "the worker at my rank");
  MPI_Comm comm = MPI_COMM_NULL;
  job.done(comex_group_comm(group, &comm));
  int comm_rank = -1;
  MPI_Comm_rank(comm, &comm_rank);
  job.equal(comm_rank, rank, "the rank in the group's communicator");
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &handler);
  job.require(handler == MPI_ERRORS_ARE_FATAL, "the group's communicator has the handler of MPI_COMM_WORLD");
  int sum = 0;
  MPI_Allreduce(&job.me, &sum, 1, MPI_INT, MPI_SUM, comm);
  job.equal(sum, std::accumulate(members.begin(), members.end(), 0), "a sum over the group's communicator");

  for (int each = 0; each < size; ++each) {
    int worker = -1;
    int host = -1;
    job.done(comex_group_translate_world(group, each, &worker));
    job.equal(worker, members[static_cast<std::size_t>(each)], "a rank of the group in the world");
    job.done(comex_host_of(each, group, &host));
    job.equal(host, job.host(worker), "a member's host");
  }
  std::vector<int> world(static_cast<std::size_t>(job.workers));
  std::vector<int> there(world.size());
  std::iota(world.begin(), world.end(), 0);
  job.done(comex_group_translate_ranks(job.workers, everyone, world.data(), group, there.data()));
  for (int worker = 0; worker < job.workers; ++worker) {
    const auto at = std::find(members.begin(), members.end(), worker);
    const int wanted = at == members.end() ? MPI_UNDEFINED : static_cast<int>(at - members.begin());
    job.equal(there[static_cast<std::size_t>(worker)], wanted, "a rank of the world in the group");
  }

  Everywhere<long> words(job, 8, group);
  const int next = (rank + 1) % size;
  const int before = (rank + size - 1) % size;
  long value = 100 + rank;
  long scale = 2;
  long seen = 0;
  job.done(comex_put(&value, words.of(next), sizeof value, next, group));
  job.done(comex_acc(COMEX_ACC_LNG, &scale, &value, words.of(next) + 1, sizeof value, next, group));
  job.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &seen, words.of(0) + 2, 1, 0, group));
  job.done(comex_barrier(group));
  job.equal(words.mine()[0], long{100} + before, "what was put to a group's rank");
  job.equal(words.mine()[1], 2 * (long{100} + before), "what was accumulated to a group's rank");
  job.done(comex_get(words.of(0) + 2, &seen, sizeof seen, 0, group));
  job.equal(seen, long{size}, "the members' counter");
  comex_request_t handle = 0;
  job.done(comex_nbget(words.of(before), &seen, sizeof seen, before, group, &handle));
  job.done(comex_wait_all(group));
  job.equal(seen, long{100} + (before + size - 1) % size, "what a get by a group's rank brought");
  job.done(comex_put_signal(&value, words.of(next) + 4, sizeof value, words.of(next) + 5, 1, next, group));
  job.done(comex_wait_until(words.mine() + 5, COMEX_CMP_EQ, 1));
  job.equal(words.mine()[4], long{100} + before, "what came with a signal");
  job.done(comex_fence_all(group));
  job.done(comex_barrier(group));
}

void try_out(const Job& job, const std::vector<int>& ranks, bool all_call) {
  comex_group_t group = COMEX_GROUP_NULL;
  if (all_call || holds(ranks, job.me)) group = make(job, ranks);
  job.equal(group != COMEX_GROUP_NULL, holds(ranks, job.me), "being in the group");
  if (group == COMEX_GROUP_NULL) return;
  everything_works_in(job, group, ranks);
  job.done(comex_group_free(group));
}

std::vector<int> upward(int first, int last) {
  std::vector<int> ranks(static_cast<std::size_t>(last - first));
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

void every_kind(const Job& job) {
  for (const bool all_call : {false, true}) {
    std::vector<int> ranks = upward(0, job.workers);
    try_out(job, ranks, all_call);
    std::reverse(ranks.begin(), ranks.end());
    try_out(job, ranks, all_call);
    std::rotate(ranks.begin(), ranks.begin() + 1, ranks.end());
    try_out(job, ranks, all_call);
    try_out(job, {job.workers - 1}, all_call);
    if (job.workers > 2) try_out(job, {job.workers - 1, 0, 1}, all_call);
    if (job.workers > 3) try_out(job, {3, 1}, all_call);
  }
}

void one_inside_another(const Job& job) {
  std::vector<int> members = upward(0, job.workers);
  std::reverse(members.begin(), members.end());
  std::vector<comex_group_t> chain{make(job, members)};
  // Each drops its rank 0, the last member of the list of the one before.
  while (members.size() > 1) {
    const std::vector<int> inside = upward(1, static_cast<int>(members.size()));
    members.erase(members.begin());
    if (!holds(members, job.me)) break;
    chain.push_back(make(job, inside, chain.back()));
    everything_works_in(job, chain.back(), members);
  }
  for (; !chain.empty(); chain.pop_back()) job.done(comex_group_free(chain.back()));
}

// Halves live their own lives until they meet in the world again.
void beside_each_other(const Job& job) {
  const int middle = (job.workers + 1) / 2;
  const std::vector<int> mine = job.me < middle ? upward(0, middle) : upward(middle, job.workers);
  for (int round = 0; round < (job.me < middle ? 12 : 4); ++round) {
    const comex_group_t group = make(job, mine);
    everything_works_in(job, group, mine);
    job.done(comex_group_free(group));
  }
}

void across_each_other(const Job& job) {
  const int third = job.workers / 3;
  const std::vector<int> low = upward(0, job.workers - third);
  const std::vector<int> high = upward(third, job.workers);
  const comex_group_t one = make(job, low);
  const comex_group_t two = make(job, high);
  for (int round = 0; round < 3; ++round) {
    if (one != COMEX_GROUP_NULL) everything_works_in(job, one, low);
    if (two != COMEX_GROUP_NULL) everything_works_in(job, two, high);
  }
  if (one != COMEX_GROUP_NULL) job.done(comex_group_free(one));
  if (two != COMEX_GROUP_NULL) job.done(comex_group_free(two));
}

void two_hundred_times(const Job& job) {
  std::vector<int> ranks = upward(0, job.workers);
  for (int round = 0; round < 200; ++round) {
    std::rotate(ranks.begin(), ranks.begin() + 1, ranks.end());
    const std::vector<int> some(ranks.begin(), ranks.begin() + 1 + round % job.workers);
    const comex_group_t group = make(job, some);
    if (group == COMEX_GROUP_NULL) continue;
    job.done(comex_barrier(group));
    job.done(comex_group_free(group));
  }
}

// A barrier of a group is reached by nobody before all have entered, and brings their writes.
void a_barrier_of_a_group_waits_for_its_members(const Job& job) {
  std::vector<int> ranks = upward(0, job.workers);
  std::reverse(ranks.begin(), ranks.end());
  const comex_group_t group = make(job, ranks);
  Everywhere<long> words(job, static_cast<std::size_t>(job.workers), group);
  int rank = 0;
  job.done(comex_group_rank(group, &rank));
  for (long round = 1; round <= 50; ++round) {
    for (int target = 0; target < job.workers; ++target) {
      job.done(comex_nbput(&round, words.of(target) + rank, sizeof round, target, group, nullptr));
    }
    job.done(comex_barrier(group));
    for (int other = 0; other < job.workers; ++other) {
      job.equal(look(words.mine() + other), round, "a member's write before the barrier");
    }
    job.done(comex_barrier(group));
  }
  job.done(comex_barrier(group));
  job.done(comex_group_free(COMEX_GROUP_NULL));
}

// What MPI keeps of a communicator that is freed counts as well. So does what the C library keeps for each
// thread after it was freed, unless GLIBC_TUNABLES says that it keeps nothing. A pool of messages in the
// network library (UCX grows its one by 144 KiB) may grow in one span of rounds; a leak grows in each of
// them. The short form finds a leak of 110 bytes a group, and one group takes hundreds; the long form
// finds 2. `make`: null where this worker is in none.
template <class Make>
void leaves_nothing_behind(const Job& job, const char* kind, const Make& make) {
  const auto make_and_free = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const comex_group_t made = make();
      if (made != COMEX_GROUP_NULL) job.done(comex_group_free(made));
    }
  };
  const int rounds = job.has("long") ? 7'000 : 80;
  constexpr int spans = 3;
  constexpr std::size_t most_bytes = 8 << 10;
  make_and_free(100);
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (int span = 0; span < spans; ++span) {
    const std::size_t before = mallinfo2().uordblks;
    make_and_free(rounds);
    const std::size_t after = mallinfo2().uordblks;
    least = std::min(least, after > before ? after - before : 0);
  }
  const std::string left =
      std::to_string(least) + " bytes are left of each " + std::to_string(rounds) + " groups by " + kind;
  job.require(least < most_bytes, left.c_str());
}

void leave_nothing_behind(const Job& job) {
  const std::vector<int> all = upward(0, job.workers);
  const std::vector<int> some = upward(0, (job.workers + 1) / 2);
  const comex_group_t parent = make(job, all);
  const auto derived = [&job](auto&& derive) {
    comex_group_t made = COMEX_GROUP_NULL;
    job.done(derive(&made));
    return made;
  };
  leaves_nothing_behind(job, "create", [&] { return make(job, all); });
  leaves_nothing_behind(job, "create of a part", [&] { return make(job, some); });
  leaves_nothing_behind(job, "create in a group", [&] { return make(job, some, parent); });
  leaves_nothing_behind(job, "dup", [&] {
    return derived([&](comex_group_t* made) { return comex_group_dup(parent, made); });
  });
  leaves_nothing_behind(job, "split", [&] {
    return derived([&](comex_group_t* made) { return comex_group_split(parent, job.me % 2, -job.me, made); });
  });
  job.done(comex_group_free(parent));
}

// Each thread takes the handles that another one has just given back.
void threads_make_and_free_groups_at_once(const Job& job) {
  if (job.thread_level != MPI_THREAD_MULTIPLE) return;
  constexpr int threads = 3;
  const auto work = [&job](comex_group_t own) {
    for (int round = 0; round < 60; ++round) {
      comex_group_t made = COMEX_GROUP_NULL;
      job.done(round % 2 == 0 ? comex_group_dup(own, &made) : comex_group_split(own, 0, -job.me, &made));
      job.done(comex_barrier(made));
      job.done(comex_group_free(made));
    }
  };
  std::vector<comex_group_t> own(threads, COMEX_GROUP_NULL);
  for (comex_group_t& group : own) job.done(comex_group_dup(everyone, &group));
  std::vector<std::thread> running;
  for (const comex_group_t group : own) running.emplace_back(work, group);
  for (std::thread& thread : running) thread.join();
  for (const comex_group_t group : own) job.done(comex_group_free(group));
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "groups");
  if (job.has("long")) alarm(500);
  for (comex_group_t made = 0; job.has("without_end");) job.done(comex_group_dup(everyone, &made));
  job.check("groups of every kind", [&] { every_kind(job); });
  job.check("one inside another", [&] { one_inside_another(job); });
  job.check("beside each other", [&] { beside_each_other(job); });
  job.check("across each other", [&] { across_each_other(job); });
  job.check("two hundred times", [&] { two_hundred_times(job); });
  // Over a network each group takes 10 ms, and MPI keeps the same as on one host.
  if (!job.has("brief")) job.check("they leave nothing behind", [&] { leave_nothing_behind(job); });
  job.check("a barrier of a group waits for its members",
            [&] { a_barrier_of_a_group_waits_for_its_members(job); });
  job.check("threads make and free groups at once", [&] { threads_make_and_free_groups_at_once(job); });
}
