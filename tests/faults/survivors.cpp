// Goes through the phases of faults.h where workers die and the others go on: they shrink their group,
// recover the memory that has mirrors, and check their data, the memory of the dead and the mutexes.
//
// Usage: survivors ROUNDS [RANK]   each survivor prints "survivors: worker N ok" at its end. Worker RANK dies
//                                  by itself, in the first round, so that another one may die while they
//                                  shrink
#include <mpi.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "survivor_kept.h"
#include "survivor_records.h"
#include "survivor_team.h"

namespace {

using namespace comex::testing;

class Survivor {
 public:
  Survivor(int rounds, int doomed) : rounds_(rounds), doomed_(doomed) {}

  void run() {
    for (bool is_disturbed = false, is_at_end = false;;) {
      try {
        if (is_disturbed && is_started_) records_.tell(shrinks());
        if (is_at_end && is_started_ && records_.has_anybody_left(team_, shrinks())) return;
        is_at_end = false;
        if (is_disturbed) go_on();
        start();
        for (; round_ < rounds_; ++round_) go_round();
        is_at_end = true;
        meet();
        if (is_started_) records_.tell(Records::leaves);
        return;
      } catch (const Death&) {
        is_disturbed = true;
      }
    }
  }

  int me() const { return team_.me(); }
  bool has_mutexes() const { return has_mutexes_; }

 private:
  template <class T>
  T* of(const std::vector<void*>& places, int rank) const {
    return static_cast<T*>(places[static_cast<std::size_t>(rank)]);
  }
  void meet() {
    phase("barrier");
    meet_all(comex_barrier(team_.group), "barrier");
  }
  // The last barrier may have succeeded on some, who leave, and not on others, who shrink unless they are
  // told so. Who has not come to it yet has not let anybody leave.
  long shrinks() const { return most_workers - team_.size; }

  std::vector<void*> allocate(std::size_t bytes, const char* what) {
    std::vector<void*> places(static_cast<std::size_t>(team_.size));
    meet_all(comex_malloc(places.data(), bytes, team_.group), what);
    garbage_.push_back({places[static_cast<std::size_t>(team_.rank)], team_.group});
    return places;
  }
  void free_garbage() {
    while (!garbage_.empty()) {
      const auto [mine, group] = garbage_.back();
      garbage_.pop_back();
      const int code = comex_free(mine, group);
      if (group == team_.group) {
        meet_all(code, "free");
      } else {
        require(code == COMEX_PROC_FAILED, "free over a group with a dead member");
      }
    }
    for (const comex_group_t group : std::exchange(left_groups_, {}))
      require(comex_group_free(group) == COMEX_PROC_FAILED, "group_free");
  }

  // Mutexes and records are of the whole world, or of nobody.
  void start() {
    phase("malloc");
    if (team_.group != everyone || is_started_) return;
    meet_all(comex_create_mutexes(1), "create_mutexes");
    has_mutexes_ = true;
    records_.allocate();
    meet();
    is_started_ = true;
  }

  void go_round() {
    phase("malloc");
    const std::vector<void*> bodies = allocate(body_bytes, "malloc of bodies");
    const std::vector<void*> counts = allocate(sizeof(long), "malloc of counts");
    *of<long>(counts, team_.rank) = 0;
    meet();
    if (team_.me() == doomed_) std::raise(SIGKILL);
    if (is_started_) records_.look();
    move_data(bodies);
    count_together(counts);
    if (rounds_ <= 2) commit_groups();  // which would take most of the time
    if (has_other_hosts()) write_kept();
    phase("free");
    if (kept_.is_there()) kept_.free();
    free_garbage();
  }

  void move_data(const std::vector<void*>& bodies) {
    const comex_group_t group = team_.group;
    const int next = (team_.rank + 1) % team_.size;
    const int target = team_.worker(next);
    const double from_previous = team_.worker((team_.rank + team_.size - 1) % team_.size) + 100.0 * round_;
    auto* const mine = of<double>(bodies, team_.rank);
    auto* const theirs = of<double>(bodies, next);
    const auto all_are = [](const double* values, double wanted) {
      return std::all_of(values, values + doubles, [wanted](double value) { return value == wanted; });
    };
    std::vector<double> near(doubles, team_.me() + 100.0 * round_);
    phase("put_body");
    int handle = 0;
    went(comex_nbput(near.data(), theirs, body_bytes, next, group, &handle), target, "nbput");
    went(comex_wait(&handle), target, "wait");
    meet();
    require(all_are(mine, from_previous), "what was put");
    phase("get");
    near.assign(doubles, -1);
    went(comex_get(theirs, near.data(), body_bytes, next, group), target, "get");
    require(all_are(near.data(), team_.me() + 100.0 * round_), "what was got");
    meet();
    phase("acc");
    double scale = 2;
    near.assign(doubles, 1);
    went(comex_acc(COMEX_ACC_DBL, &scale, near.data(), theirs, body_bytes, next, group), target, "acc");
    meet();
    require(all_are(mine, from_previous + 2), "what was added");
    meet();
    phase("fence");
    for (int i = 0; i < 50; ++i)
      went(comex_nbput(&near[0], theirs + i, sizeof(double), next, group, nullptr), target, "small nbput");
    went(comex_fence_proc(next, group), target, "fence_proc");
    double back = 0;
    went(comex_get(theirs + 49, &back, sizeof back, next, group), target, "get of what was fenced");
    require(back == 1, "what was fenced");
    meet();
  }

  // Words of the first and of the last one count what all have done.
  void count_together(const std::vector<void*>& counts) {
    const comex_group_t group = team_.group;
    const int last = team_.size - 1;
    const long adds = is_started_ ? 2 : 1;
    const long wanted = adds * (last == 0 ? 2 : team_.size);
    for (const int owner : {0, last}) {
      phase("rmw");
      long* const count = of<long>(counts, owner);
      const int worker = team_.worker(owner);
      long old = -1;
      went(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, count, 1, owner, group), worker, "rmw");
      require(old >= 0 && old < wanted, "what rmw fetched");
      if (!is_started_) continue;
      phase("lock");
      records_.lock(worker);
      phase("held");
      went(comex_get(count, &old, sizeof old, owner, group), worker, "get under a lock");
      went(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, count, 1, owner, group), worker, "rmw under a lock");
      records_.unlock(worker);
    }
    meet();
    if (team_.rank == 0 || team_.rank == last)
      require(*of<long>(counts, team_.rank) == wanted, "what all have counted");
  }

  bool has_other_hosts() const {
    return std::ranges::any_of(team_.workers,
                               [&](int worker) { return host_of(worker) != host_of(team_.me()); });
  }
  void write_kept() {
    phase("malloc_kept");
    if (!kept_.is_there()) kept_.allocate(team_);
    phase("keep");
    for (int turn = 0; turn < 2; ++turn) kept_.write(team_);
  }

  void took_group(int code, const comex_group_t& made, const char* what) {
    meet_all(code, what);
    left_groups_.push_back(made);
  }
  // Of all, and in the second round without the last, who goes on if MPI holds the others. MPI makes the
  // communicator of each group by another call.
  void commit_groups() {
    phase("group_commit");
    const int size = round_ % 2 == 0 || team_.size == 1 ? team_.size : team_.size - 1;
    if (team_.rank >= size) return;
    std::vector<int> ranks;
    for (int rank = size - 1; rank >= 0; --rank) ranks.push_back(rank);
    const std::size_t groups_before = left_groups_.size();
    comex_group_t first = COMEX_GROUP_NULL;
    comex_group_t twin = COMEX_GROUP_NULL;
    comex_group_t group = COMEX_GROUP_NULL;
    took_group(comex_group_create(size, ranks.data(), team_.group, &first), first, "group_create");
    took_group(comex_group_dup(first, &twin), twin, "group_dup");
    took_group(comex_group_split(twin, 0, 0, &group), group, "group_split");
    int rank = -1;
    require(comex_group_rank(group, &rank) == COMEX_SUCCESS && rank == size - 1 - team_.rank,
            "the rank in a group");
    std::vector<void*> places(static_cast<std::size_t>(size));
    meet_all(comex_malloc(places.data(), 4096, group), "malloc over a group");
    void* const mine = places[static_cast<std::size_t>(rank)];
    garbage_.push_back({mine, group});
    meet_all(comex_barrier(group), "barrier of a group");
    garbage_.pop_back();
    meet_all(comex_free(mine, group), "free over a group");
    while (left_groups_.size() > groups_before) {
      const comex_group_t last = left_groups_.back();
      left_groups_.pop_back();
      meet_all(comex_group_free(last), "group_free");
    }
  }

  void go_on() {
    phase("shrink");
    require(comex_barrier(team_.group) == COMEX_PROC_FAILED, "a collective over a group with a dead member");
    require(!dead_of_all().empty() && !has_died(team_.me()), "who has died");
    comex_group_t smaller = COMEX_GROUP_NULL;
    require(comex_group_shrink(team_.group, &smaller) == COMEX_SUCCESS, "group_shrink");
    const Team before = std::exchange(team_, Team(smaller));
    if (before.group != everyone) left_groups_.push_back(before.group);
    require(team_.size < before.size && team_.me() == before.me(), "the shrunk group");
    // Tells of what was under way to a lost host, for the last time.
    const int fenced = comex_fence_all(everyone);
    require(fenced == COMEX_SUCCESS || (fenced == COMEX_PROC_FAILED && is_any_host_lost()), "fence_all");
    agree();
    phase("recover");
    if (kept_.is_there()) kept_.recover(team_);
    phase("shrink");
    if (doomed_ < 0) use_communicator();
    if (is_started_) records_.use(team_);
    meet_all(comex_barrier(team_.group), "barrier after a death");  // nobody uses any more what others free
    free_garbage();
  }

  // Some have come further than others.
  void agree() {
    const std::vector<void*> places = allocate(3 * sizeof(int), "malloc of rounds");
    of<int>(places, team_.rank)[0] = round_;
    of<int>(places, team_.rank)[1] = is_started_ ? 1 : 0;
    of<int>(places, team_.rank)[2] = kept_.is_cleared() ? 1 : 0;
    meet_all(comex_barrier(team_.group), "barrier of rounds");
    bool have_all_started = true;
    bool have_all_kept = true;
    for (int rank = 0; rank < team_.size; ++rank) {
      std::array<int, 3> theirs{};
      went(comex_get(of<int>(places, rank), theirs.data(), sizeof theirs, rank, team_.group),
           team_.worker(rank), "get of rounds");
      round_ = std::min(round_, theirs[0]);
      have_all_started = have_all_started && theirs[1] != 0;
      have_all_kept = have_all_kept && theirs[2] != 0;
    }
    is_started_ = have_all_started;
    meet_all(comex_barrier(team_.group), "barrier after rounds");
    if (kept_.is_there() && !have_all_kept) kept_.drop();
  }

  void use_communicator() {
    MPI_Comm comm = MPI_COMM_NULL;
    require(comex_group_comm(team_.group, &comm) == COMEX_SUCCESS && comm != MPI_COMM_NULL, "group_comm");
    const int mine = team_.me();
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    int wanted = 0;
    for (const int worker : team_.workers) wanted += worker;
    require(sum == wanted, "what MPI adds over the shrunk group");
  }

  struct Garbage {
    void* mine;
    comex_group_t group;
  };
  static constexpr int doubles = 20'000;
  static constexpr int body_bytes = doubles * static_cast<int>(sizeof(double));

  const int rounds_;
  const int doomed_;
  Team team_{everyone};
  int round_ = 0;
  bool has_mutexes_ = false;
  bool is_started_ = false;  // all have mutexes and records
  Records records_;
  KeptParts kept_;
  std::vector<Garbage> garbage_;
  std::vector<comex_group_t> left_groups_;
};

}  // namespace

int main(int argc, char** argv) {
  phase("init");
  MPI_Init(&argc, &argv);
  require(comex_init() == COMEX_SUCCESS, "init");
  Survivor survivor(argc > 1 ? std::atoi(argv[1]) : 2, argc > 2 ? std::atoi(argv[2]) : -1);
  survivor.run();
  phase("finalize");
  if (survivor.has_mutexes()) {
    const int destroyed = comex_destroy_mutexes();
    require(destroyed == COMEX_SUCCESS || destroyed == COMEX_PROC_FAILED, "destroy_mutexes");
  }
  require(comex_finalize() == COMEX_SUCCESS, "finalize");
  std::printf("survivors: worker %d ok\n", survivor.me());
  std::fflush(stdout);
  MPI_Finalize();
}
