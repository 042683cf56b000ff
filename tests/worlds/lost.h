// The other world is lost: it dies, or finalizes without parting. What goes on with it fails, and says so;
// what is left works.
#pragma once

#include <sched.h>

#include <filesystem>

#include "mpi/told.h"
#include "worlds/own_parts.h"
#include "worlds/place.h"

namespace comex::testing {

// The library says nothing meanwhile: this thread may be inside MPI.
inline void await_death_of(const std::string& process) {
  await_end_of(process);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  std::fprintf(stderr, "nothing was called since\n");
}

inline void nothing_is_made_of_the_lost(const Job& job, comex_group_t merged, comex_group_t peer) {
  comex_group_t made = untouched;
  job.equal(comex_group_dup(merged, &made), COMEX_FAILURE, "a duplicate of a lost group");
  job.equal(comex_group_split(peer, 0, 0, &made), COMEX_FAILURE, "a part of a lost inter-group");
  job.equal(comex_group_create_endpoints(merged, 1, &made), COMEX_FAILURE, "endpoints in a lost group");
  job.equal(comex_group_merge(peer, 0, &made), COMEX_FAILURE, "a lost inter-group merged");
  job.equal(comex_intergroup_create(everyone, 0, peer, 0, 5, &made), COMEX_FAILURE,
            "joining by a lost group");
  job.equal(comex_world_connect("127.0.0.1:9:0123456789abcdef0123456789abcdef", 0, merged, 1, &made),
            COMEX_FAILURE, "a meeting of a lost group");
  job.equal(made, untouched, "an output of a collective that failed");
}

// What two worlds have together, made by both.
struct Shared {
  Shared(const Job& job, const Place& place) : peer(place.meet()) {
    job.done(comex_group_merge(peer, place.accepts() ? 0 : 1, &merged));
    job.done(comex_group_size(merged, &size));
    words.resize(static_cast<std::size_t>(size));
    job.done(comex_malloc(words.data(), sizeof(long), merged));
    data_travels(job, merged);
    parts = own_parts(job, merged, place.accepts());
  }
  comex_group_t peer;
  comex_group_t merged = COMEX_GROUP_NULL;
  int size = 0;
  std::vector<void*> words;
  std::array<comex_group_t, 3> parts{};
};

// Each worker says when it is outside of the library, and can be waited for.
class Outside {
 public:
  Outside(const Job& job, const Place& place)
      : me_(job.me), accepts_(place.accepts()), file_(job.arguments.at(1) + ".outside") {}
  void say() const { publish(name(accepts_, me_), "yes"); }
  void await(bool accepting, int workers) const {
    for (int worker = 0; worker < workers; ++worker) look_up(name(accepting, worker));
  }

 private:
  std::string name(bool accepting, int worker) const {
    return file_ + (accepting ? "_accepting" : "_connecting") + std::to_string(worker);
  }
  int me_;
  bool accepts_;
  std::string file_;
};

// Errors are returned.
inline void go_on_alone(Job& job, const Place& place, Shared& shared) {
  const int target = place.accepts() ? shared.size - 1 : 0;  // of the other world
  void* const far = shared.words[static_cast<std::size_t>(target)];
  long word = 0;
  job.equal(comex_get(far, &word, sizeof word, target, shared.merged), COMEX_FAILURE,
            "a get from a lost world");
  job.equal(comex_put(&word, far, sizeof word, target, shared.merged), COMEX_FAILURE,
            "a put to a lost world");
  job.equal(comex_fence_all(shared.merged), COMEX_FAILURE, "a fence of a lost world");
  nothing_is_made_of_the_lost(job, shared.merged, shared.peer);
  are_used_alone(job, shared.parts);
  job.done(comex_world_disconnect(&shared.merged));
  job.done(comex_world_disconnect(&shared.peer));
  comex_set_errors(COMEX_ERRORS_ABORT);
  int count = 0;
  job.done(comex_lpid_count(&count));
  job.equal(count, job.workers, "the processes known");
  job.check("the world that is left goes on", [&] { data_travels(job, everyone); });
}

inline void killed(Job& job) {
  const Place place(job, everyone, 0);
  Shared shared(job, place);
  const Outside outside(job, place);  // nobody dies while the others are in a call, which would tell of it
  const std::string ready = job.arguments.at(1) + ".ready";
  if (place.accepts() == job.has("acceptor")) {
    outside.await(!place.accepts(), shared.size - job.workers);
    if (job.me == 0) publish(ready, std::to_string(getpid()));
    if (job.me == 0 && job.has("abort")) comex_error("this world gives up", 3);
    std::this_thread::sleep_for(std::chrono::seconds(60));
    std::abort();
  }
  outside.say();
  await_death_of(look_up(ready));
  comex_set_errors(COMEX_ERRORS_RETURN);
  job.equal(comex_barrier(shared.merged), COMEX_FAILURE, "a barrier with a world that dies");
  go_on_alone(job, place, shared);
}

// The connecting world ends as programs do that never part, while the others are on their way into a barrier.
inline void finalized(Job& job) {
  const Place place(job, everyone, 0);
  Shared shared(job, place);
  const Outside outside(job, place);
  if (!place.accepts()) return outside.await(true, shared.size - job.workers);
  comex_set_errors(COMEX_ERRORS_RETURN);
  outside.say();
  int result = COMEX_SUCCESS;
  const std::string text = told([&] { result = comex_barrier(shared.merged); });
  job.equal(result, COMEX_FAILURE, "a barrier with a world that finalizes");
  const std::string line =
      "world " + std::to_string(2u << 24) + " has finalized without parting from this one";
  job.require(text.find(line) != std::string::npos, text.c_str());
  job.require(text.find("has died") == std::string::npos, text.c_str());
  go_on_alone(job, place, shared);
}

// The group of those left of a world that lost a worker. They end without MPI, which would wait for it.
[[noreturn]] inline void end_without_the_dead(const Job& job) {
  comex_group_t rest = COMEX_GROUP_NULL;
  job.done(comex_group_shrink(everyone, &rest));
  int size = 0;
  job.done(comex_group_size(rest, &size));
  job.equal(size, job.workers - 1, "the workers left");
  data_travels(job, rest);
  job.done(comex_barrier(rest));
  std::printf("worker %d goes on\n", job.me);
  std::fflush(stdout);
  comex_finalize();
  _exit(EXIT_SUCCESS);
}

[[noreturn]] inline void go_on_without_the_dead(Job& job, Shared& shared) {
  long word = 0;
  if (job.me == 0) {  // its gets are loads, which wait for nothing
    while (comex_get(shared.words[0], &word, sizeof word, 0, shared.merged) == COMEX_SUCCESS) sched_yield();
  }
  job.equal(comex_barrier(shared.merged), COMEX_PROC_FAILED, "a barrier with the dead");
  comex_group_t made = untouched;
  job.equal(comex_world_accept("127.0.0.1:9:0123456789abcdef0123456789abcdef", 0, everyone, 1, &made),
            COMEX_PROC_FAILED, "a meeting of a group with the dead");
  job.equal(made, untouched, "an output of a meeting that failed");
  job.equal(comex_get(shared.words[0], &word, sizeof word, 0, shared.merged), COMEX_FAILURE,
            "a get from the other world");
  job.done(comex_world_disconnect(&shared.merged));
  job.done(comex_world_disconnect(&shared.peer));
  end_without_the_dead(job);
}

// A worker of the connecting world dies, and the others of it live: both worlds go on, each alone.
inline void broken(Job& job) {
  const Place place(job, everyone, 0);
  Shared shared(job, place);
  const Outside outside(job, place);
  outside.say();
  if (place.accepts()) {
    comex_set_errors(COMEX_ERRORS_RETURN);
    job.equal(comex_barrier(shared.merged), COMEX_FAILURE, "a barrier with a world that lost a worker");
    return go_on_alone(job, place, shared);
  }
  if (job.me == job.workers - 1) {
    outside.await(true, shared.size - job.workers);
    outside.await(false, job.workers);
    std::raise(SIGKILL);
  }
  comex_set_errors(COMEX_ERRORS_RETURN);
  go_on_without_the_dead(job, shared);
}

// The last process of this launch that is no worker.
inline pid_t last_progress_rank(const Job& job) {
  const int mine = getpid();
  std::vector<int> workers(static_cast<std::size_t>(job.workers));
  MPI_Allgather(&mine, 1, MPI_INT, workers.data(), 1, MPI_INT, job.comm);
  int last = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(getppid()) + "/task")) {
    std::ifstream children(task.path() / "children");
    for (int child = 0; children >> child;) {
      if (std::ranges::find(workers, child) == workers.end()) last = std::max(last, child);
    }
  }
  job.require(last != 0, "there is a progress rank");
  return last;
}

// A worker of the connecting world dies while its root waits for the lock of a progress rank, which stands
// still. The progress ranks are not called into MPI, where they would wait for the dead.
inline void held_up(Job& job) {
  const Place place(job, everyone, 0);
  comex_group_t peer = COMEX_GROUP_NULL;
  comex_set_errors(COMEX_ERRORS_RETURN);
  if (place.accepts()) {
    job.equal(place.try_to_meet(&peer), COMEX_FAILURE, "a meeting with a world that loses a worker");
    comex_set_errors(COMEX_ERRORS_ABORT);
    return job.check("the world that is left goes on", [&] { data_travels(job, everyone); });
  }
  const pid_t server = last_progress_rank(job);
  job.done(comex_barrier(everyone));
  if (job.me == 0) kill(server, SIGSTOP);
  std::thread dies;
  if (job.me == job.workers - 1) {
    dies = std::thread([] {
      std::this_thread::sleep_for(std::chrono::seconds(2));  // the root waits by then
      std::raise(SIGKILL);
    });
  }
  job.equal(place.try_to_meet(&peer), COMEX_PROC_FAILED, "a meeting of a world that loses a worker");
  if (dies.joinable()) dies.join();
  if (job.me == 0) kill(server, SIGCONT);
  end_without_the_dead(job);
}

}  // namespace comex::testing
