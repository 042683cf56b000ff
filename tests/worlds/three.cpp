// Worlds that are three. Usage: three SIDE FILE SCENARIO, SIDE: 0, 1 or 2; a spawned one is the third.
//   mesh     each world meets both others at once, by other workers, so that their progress ranks are wanted
//            by two meetings each; then whole worlds, and members of all three become groups by their lpids;
//            then two of them meet the third at one port
//   chain    two worlds meet and merge; the merged group meets the third, which leaves them and ends
//   spawn    the same, but the third world is spawned by the merged group
//   killed   as chain; then the third world dies, while some wait for it and others have not begun to
#include <unistd.h>

#include <array>
#include <numeric>

#include "worlds/apart.h"
#include "worlds/bereaved.h"
#include "worlds/one_port.h"
#include "worlds/worlds.h"

using namespace comex::testing;

namespace {

constexpr double limit_s = 30;

class Sides {
 public:
  explicit Sides(const Job& job)
      : side(std::stoi(job.arguments.at(0))), job_(job), file_(job.arguments.at(1)) {}

  // Over `group`, led by `root`, which `is_root` says this worker is.
  comex_group_t accept(const std::string& name, comex_group_t group, int root, bool is_root) const {
    std::array<char, 400> port{};
    if (is_root) {
      job_.done(comex_world_open_port(port.data(), static_cast<int>(port.size())));
      publish(file_ + name, port.data());
    }
    comex_group_t peer = COMEX_GROUP_NULL;
    job_.done(comex_world_accept(port.data(), root, group, limit_s, &peer));
    if (is_root) job_.done(comex_world_close_port(port.data()));
    return peer;
  }
  comex_group_t connect(const std::string& name, comex_group_t group, int root, bool is_root) const {
    const std::string port = is_root ? look_up(file_ + name) : "";
    comex_group_t peer = COMEX_GROUP_NULL;
    job_.done(comex_world_connect(port.c_str(), root, group, limit_s, &peer));
    return peer;
  }
  comex_group_t merge(comex_group_t inter, bool high) const {
    comex_group_t merged = COMEX_GROUP_NULL;
    job_.done(comex_group_merge(inter, high ? 1 : 0, &merged));
    return merged;
  }
  void part(std::initializer_list<comex_group_t> groups) const {
    for (comex_group_t group : groups) job_.done(comex_world_disconnect(&group));
  }
  void is_alone() const {
    int count = 0;
    job_.done(comex_lpid_count(&count));
    job_.equal(count, job_.workers, "the processes known");
  }

  const int side;

 private:
  const Job& job_;
  std::string file_;
};

int size_of(const Job& job, comex_group_t group) {
  int size = 0;
  job.done(comex_group_size(group, &size));
  return size;
}

void mesh(Job& job, const Sides& sides) {
  job.check("three worlds meet one another at once", [&] {
    for (int round = 0; round < 2; ++round) {
      const auto name = [round](int side) { return "." + std::to_string(round) + std::to_string(side % 3); };
      comex_group_t peer = COMEX_GROUP_NULL;
      if (job.me == 0) peer = sides.accept(name(sides.side), COMEX_GROUP_SELF, 0, true);
      if (job.me == 1) peer = sides.connect(name(sides.side + 1), COMEX_GROUP_SELF, 0, true);
      const comex_group_t pair = sides.merge(peer, job.me == 1);
      data_travels(job, pair);
      sides.part({pair, peer});
      job.done(comex_barrier(everyone));
    }
    sides.is_alone();
  });
}

Gpids::value_type of(unsigned side, unsigned rank) {
  return {(side + 1) << 24, rank};
}

// Each two of the worlds meet, so that no bridge has all three; then members of all of them are one group.
void by_lpids(Job& job, const Sides& sides) {
  job.check("lpids make a group of three worlds that have met in pairs", [&] {
    const bool leads = job.me == 0;
    std::vector<comex_group_t> peers;
    comex_group_t crosswise = COMEX_GROUP_NULL;
    for (const auto& [low, high] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
      const std::string name = ".pair" + std::to_string(low) + std::to_string(high);
      if (sides.side == low) peers.push_back(sides.accept(name, everyone, 0, leads));
      if (sides.side == high) peers.push_back(sides.connect(name, everyone, 0, leads));
    }
    const Gpids mixed{of(2, 1), of(0, 0), of(1, 1), of(0, 1), of(2, 0), of(1, 0)};
    comex_group_t group = named_group(job, mixed);
    data_travels(job, group);
    sides.part({group});
    if (job.me == 1) {
      const comex_group_t few = named_group(job, {of(1, 1), of(0, 1), of(2, 1)});
      data_travels(job, few);
      sides.part({few});
    }
    job.done(comex_barrier(everyone));
    if (sides.side != 2) {
      crosswise = tie_crosswise(job, sides.side, of);
      sides.part({peers.front()});
    }
    if (job.me == 1) names_who_is_not_reached(job, of);
    job.done(comex_barrier(everyone));
    if (sides.side != 2) peers.front() = crosswise;
    for (const comex_group_t peer : peers) sides.part({peer});
    sides.is_alone();
  });
}

struct Chain {
  comex_group_t ab_inter = COMEX_GROUP_NULL;
  comex_group_t ab = COMEX_GROUP_NULL;
  comex_group_t inter = COMEX_GROUP_NULL;
  comex_group_t all = COMEX_GROUP_NULL;
};

// The first two worlds, merged; the second's last worker leads what follows.
void meet_first_two(const Job& job, const Sides& sides, const std::string& name, Chain& made) {
  const bool leads = job.me == 0;
  made.ab_inter =
      sides.side == 0 ? sides.accept(name, everyone, 0, leads) : sides.connect(name, everyone, 0, leads);
  made.ab = sides.merge(made.ab_inter, sides.side == 1);
}

bool is_last_of(const Job& job, comex_group_t group) {
  int rank = 0;
  job.done(comex_group_rank(group, &rank));
  return rank == size_of(job, group) - 1;
}

Chain meet_in_a_chain(const Job& job, const Sides& sides) {
  Chain made;
  if (sides.side == 2) {
    made.inter = sides.connect(".abc", everyone, 0, job.me == 0);
  } else {
    meet_first_two(job, sides, ".ab", made);
    made.inter = sides.accept(".abc", made.ab, size_of(job, made.ab) - 1, is_last_of(job, made.ab));
  }
  made.all = sides.merge(made.inter, sides.side == 2);
  return made;
}

// The third parts from a group of the first two, who stay on the bridge of all; then it meets the first
// again, in another order, and a group by lpids goes over the new bridge. The group of the first two.
comex_group_t leave_the_others(const Job& job, const Sides& sides, const Chain& made) {
  comex_group_t part = COMEX_GROUP_NULL;
  if (sides.side != 2) {
    std::vector<int> ranks(static_cast<std::size_t>(size_of(job, made.ab)));
    std::iota(ranks.begin(), ranks.end(), 0);
    job.done(comex_group_create(static_cast<int>(ranks.size()), ranks.data(), made.all, &part));
  }
  sides.part({made.all, made.inter});
  comex_group_t peer = COMEX_GROUP_NULL;
  if (sides.side == 0) peer = sides.accept(".again", everyone, 0, job.me == 0);
  if (sides.side == 2) {
    std::vector<int> last_first(static_cast<std::size_t>(job.workers));
    std::iota(last_first.rbegin(), last_first.rend(), 0);
    comex_group_t turned = COMEX_GROUP_NULL;
    job.done(comex_group_create(job.workers, last_first.data(), everyone, &turned));
    peer = sides.connect(".again", turned, 0, job.me == job.workers - 1);
    job.done(comex_group_free(turned));
  }
  if ((sides.side == 0 && job.me == 0) || (sides.side == 2 && job.me == 1)) {
    const comex_group_t named = named_group(job, {{1u << 24, 0}, {3u << 24, 1}});
    data_travels(job, named);
    sides.part({named});
  }
  if (peer != COMEX_GROUP_NULL) sides.part({peer});
  return part;
}

void chain(Job& job, const Sides& sides) {
  Chain made;
  job.check("a group of two worlds meets a third", [&] {
    made = meet_in_a_chain(job, sides);
    data_travels(job, made.all);
  });
  job.check("parts of all three work", [&] {
    int rank = 0;
    job.done(comex_group_rank(made.all, &rank));
    comex_group_t part = COMEX_GROUP_NULL;
    job.done(comex_group_split(made.all, rank % 2, -rank, &part));
    data_travels(job, part);
    sides.part({part});
  });
  comex_group_t part = COMEX_GROUP_NULL;
  job.check("the third leaves, and meets one of the others again",
            [&] { part = leave_the_others(job, sides, made); });
  if (sides.side == 2) {
    sides.is_alone();
    if (job.me == 0) publish(job.arguments.at(1) + ".third", std::to_string(getpid()));
    return;
  }
  job.check("when it has ended, the others go on over the same bridge, and leave it", [&] {
    await_end_of(look_up(job.arguments.at(1) + ".third"));
    data_travels(job, part);
    sides.part({part});
    data_travels(job, made.ab);
    sides.part({made.ab, made.ab_inter});
    sides.is_alone();
  });
}

// Of so many processes one is a progress rank.
constexpr int processes_spawned = 3;
constexpr int workers_spawned = 2;

void spawn(Job& job, const Sides& sides, const char* program) {
  Chain made;
  job.check("a group of two worlds spawns a third", [&] {
    meet_first_two(job, sides, ".ab", made);
    std::vector<std::string> texts = job.arguments;
    texts[0] = "2";
    std::vector<char*> arguments;
    for (std::string& text : texts) arguments.push_back(text.data());
    arguments.push_back(nullptr);
    const int root = size_of(job, made.ab) - 1;
    int rank = 0;
    job.done(comex_group_rank(made.ab, &rank));
    const bool is_root = rank == root;  // who is not may pass anything
    job.done(comex_world_spawn(is_root ? program : unusable<char>(),
                               is_root ? arguments.data() : unusable<char*>(),
                               is_root ? processes_spawned : -1, root, made.ab, &made.inter));
    int spawned = 0;
    job.done(comex_group_remote_size(made.inter, &spawned));
    job.equal(spawned, workers_spawned, "the workers of the world spawned");
    made.all = sides.merge(made.inter, false);
    data_travels(job, made.all);
    sides.part({made.all, made.inter, made.ab, made.ab_inter});
    sides.is_alone();
  });
}

void spawned(Job& job, const Sides& sides, comex_group_t parent) {
  job.check("a child of two worlds works with both", [&] {
    int processes = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    job.equal(processes, processes_spawned, "the processes of the world spawned");
    job.equal(job.workers, workers_spawned, "its workers");
    const comex_group_t all = sides.merge(parent, true);
    data_travels(job, all);
    sides.part({all, parent});
    sides.is_alone();
  });
}

// One collective of each kind over a group that has lost a world: each ends, and says so.
class CollectivesAfterLoss {
 public:
  CollectivesAfterLoss(const Job& job, Chain made) : job_(job), made_(made) {
    const auto size = static_cast<std::size_t>(size_of(job, made.all));
    for (auto* each : {&first_, &second_}) {
      each->resize(size);
      job.done(comex_malloc(each->data(), 64, made.all));
    }
  }
  static constexpr int kinds = 8;
  void try_one(int kind) {
    std::vector<void*> more(first_.size());
    comex_group_t group = COMEX_GROUP_NULL;
    int result = COMEX_SUCCESS;
    int rank = 0;
    job_.done(comex_group_rank(made_.all, &rank));
    std::vector<void*>& given = is_freed_ ? second_ : first_;
    switch (kind) {
      case 0:
        result = comex_barrier(made_.all);
        break;
      case 1:
        result = comex_malloc(more.data(), 64, made_.all);
        break;
      case 2:
        result = comex_free(given[static_cast<std::size_t>(rank)], made_.all);
        is_freed_ = true;
        break;
      case 3:
        result = comex_group_dup(made_.all, &group);
        break;
      case 4:
        result = comex_group_split(made_.all, 0, 0, &group);
        break;
      case 5:
        result = comex_group_merge(made_.inter, 0, &group);
        break;
      case 6:
        result = comex_group_create_endpoints(made_.all, 1, &group);
        break;
      default: {
        std::array<char, 400> port{};
        job_.done(comex_world_open_port(port.data(), static_cast<int>(port.size())));
        result = comex_world_accept(port.data(), rank, made_.all, limit_s, &group);
        job_.done(comex_world_close_port(port.data()));
      }
    }
    if (result != COMEX_FAILURE || group != COMEX_GROUP_NULL || more.back() != nullptr) {
      job_.fail("collective " + std::to_string(kind) + " has not failed, or has made something");
    }
  }

 private:
  const Job& job_;
  Chain made_;
  std::vector<void*> first_;
  std::vector<void*> second_;
  bool is_freed_ = false;
};

void killed(Job& job, const Sides& sides) {
  Chain made = meet_in_a_chain(job, sides);
  if (sides.side != 2) {  // a younger bridge than that of all
    sides.part({made.ab, made.ab_inter});
    meet_first_two(job, sides, ".late", made);
  }
  CollectivesAfterLoss collectives(job, made);
  data_travels(job, made.all);
  const std::string& file = job.arguments.at(1);
  if (sides.side == 2) {
    publish(file + ".pid", std::to_string(getpid()));
    if (job.me == 0) publish(file + ".ready", "now");
    std::this_thread::sleep_for(std::chrono::seconds(60));
    std::abort();
  }
  comex_set_errors(COMEX_ERRORS_RETURN);
  int rank = 0;
  job.done(comex_group_rank(made.all, &rank));
  some_hear_later(job, sides.side, made.all, look_up(file + ".pid"), of);
  // Everybody is caught in another one, then begins all of them.
  collectives.try_one((2 * rank + sides.side) % (CollectivesAfterLoss::kinds - 1));
  for (int kind = 0; kind < CollectivesAfterLoss::kinds; ++kind) collectives.try_one(kind);
  job.equal(comex_fence_all(made.all), COMEX_FAILURE, "the result of a fence");
  sides.part({made.all, made.inter});
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.check("those who are left go on together", [&] {
    data_travels(job, made.ab);
    sides.part({made.ab, made.ab_inter});
    sides.is_alone();
  });
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "three");
  const Sides sides(job);
  const std::string scenario = job.arguments.at(2);
  comex_group_t parent = COMEX_GROUP_NULL;
  job.done(comex_world_parent(&parent));
  if (parent != COMEX_GROUP_NULL) {
    spawned(job, sides, parent);
  } else if (scenario == "mesh") {
    mesh(job, sides);
    by_lpids(job, sides);
    job.check("two connect at one port at the same time", [&] {
      two_connect_at_one_port(job, sides.side, job.arguments.at(1) + ".one", limit_s);
      sides.is_alone();
    });
  } else if (scenario == "chain") {
    chain(job, sides);
  } else if (scenario == "spawn") {
    spawn(job, sides, argv[0]);
  } else {
    killed(job, sides);
  }
}
