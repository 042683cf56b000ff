// What is under way keeps nobody from going on: a fence or a wait ends though other threads start more, the
// holder of a mutex may start operations though others wait for it, and whatever call a worker repeats, what
// it could not send before leaves.
//
// Usage: under_way fences | locks | calls, each with "threads" behind it
#include <atomic>
#include <thread>
#include <vector>

#include "mpi/job.h"

using namespace comex::testing;

namespace {

// Calls start(round) in a thread of its own, again and again.
template <class Start>
class Stream {
 public:
  Stream(const Start& start, long at_least)
      : thread_([this, start] {
          for (; !is_over_; ++started_) start(started_);
        }) {
    while (started_ < at_least) std::this_thread::yield();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    is_over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> is_over_{false};
  std::atomic<long> started_{0};
  std::thread thread_;
};

// The stream ends after the last of these calls: each has to return while it goes on.
void fences(Job& job) {
  constexpr std::size_t length = 40'000;
  constexpr int bytes = length * sizeof(long);
  constexpr long streamed = 100;
  const Everywhere<long> memory(job, length);
  const int target = job.workers - 1;
  std::vector<long> got(length);
  const auto without_handle = [&](long) {
    job.done(comex_nbget(memory.of(target), got.data(), bytes, target, everyone, nullptr));
  };
  std::vector<comex_request_t> handles(4);
  const auto with_handles = [&](long round) {
    comex_request_t& handle = handles[static_cast<std::size_t>(round) % handles.size()];
    if (round >= static_cast<long>(handles.size())) job.done(comex_wait(&handle));
    job.done(comex_nbget(memory.of(target), got.data(), bytes, target, everyone, &handle));
  };
  const auto call_each = [&] {
    for (long round = 0; round < 5; ++round) {
      job.done(comex_put(&round, memory.of(target), sizeof round, target, everyone));
      job.done(comex_fence_proc(target, everyone));
      job.done(comex_put(&round, memory.of(target), sizeof round, target, everyone));
      job.done(comex_fence_all(everyone));
      job.done(comex_wait_proc(target, everyone));
      job.done(comex_wait_all(everyone));
    }
  };
  job.check("a fence and a wait end beside requests without handles", [&] {
    if (job.me == 0) {
      const Stream stream(without_handle, streamed);
      const Stream another(without_handle, streamed);
      call_each();
    }
    job.done(comex_wait_all(everyone));
  });
  job.check("a fence and a wait end beside requests with handles", [&] {
    if (job.me == 0) {
      const Stream stream(with_handles, streamed);
      call_each();
    }
    job.done(comex_wait_all(everyone));
  });
}

// With COMEX_MAX_NB_OUTSTANDING=1, fewer than wait for the mutex.
void locks(Job& job) {
  constexpr int threads = 3;
  const Everywhere<long> memory(job, threads);
  const int target = job.workers - 1;
  job.done(comex_create_mutexes(1));
  job.check("the holder of a mutex puts while others wait for it", [&] {
    if (job.me != 0) return;
    std::vector<std::thread> all;
    for (int mine = 0; mine < threads; ++mine) {
      all.emplace_back([&, mine] {
        for (long round = 1; round <= 100; ++round) {
          job.done(comex_lock(0, target));
          comex_request_t handle = 0;
          job.done(comex_nbput(&round, memory.of(target) + mine, sizeof round, target, everyone, &handle));
          job.done(comex_wait(&handle));
          job.done(comex_fence_proc(target, everyone));
          job.done(comex_unlock(0, target));
        }
      });
    }
    for (std::thread& each : all) each.join();
    std::vector<long> found(threads);
    job.done(comex_get(memory.of(target), found.data(), threads * sizeof(long), target, everyone));
    for (const long word : found) job.equal(word, 100, "a thread's word");
  });
  job.done(comex_destroy_mutexes());
}

struct Repeated {
  const char* name;
  void (*call)(long* own);
};

constexpr Repeated repeated[] = {
    {"get",
     [](long* own) {
       long word = 0;
       comex_get(own, &word, sizeof word, 0, everyone);
     }},
    {"put",
     [](long* own) {
       long word = 0;
       comex_put(&word, own, sizeof word, 0, everyone);
     }},
    {"rmw",
     [](long* own) {
       long word = 0;
       comex_rmw(COMEX_FETCH_AND_ADD_LONG, &word, own, 1, 0, everyone);
     }},
    {"fence_proc", [](long*) { comex_fence_proc(0, everyone); }},
    {"wait_proc", [](long*) { comex_wait_proc(0, everyone); }},
    {"group_rank",
     [](long*) {
       int rank = 0;
       comex_group_rank(everyone, &rank);
     }},
};

// Worker 0 sends much, and behind it a signal, which the other one answers. It repeats one call until then.
void calls(Job& job) {
  constexpr std::size_t length = std::size_t{1} << 20;
  constexpr int bytes = length * sizeof(long);
  const Everywhere<long> memory(job, length);
  const Everywhere<long> words(job, 2);
  const int other = job.workers - 1;
  std::vector<long> sent(length, 1);
  long one = 1;
  long number = 0;
  for (const Repeated& each : repeated) {
    ++number;
    job.check(each.name, [&] {
      if (job.me == 0) {
        comex_request_t large = 0;
        comex_request_t signal = 0;
        job.done(
            comex_nbacc(COMEX_ACC_LNG, &one, sent.data(), memory.of(other), bytes, other, everyone, &large));
        job.done(comex_nbput_signal(&one, memory.of(other), sizeof one, words.of(other), number, other,
                                    everyone, &signal));
        const volatile long* const answer = words.of(0);
        while (*answer != number) each.call(words.of(0) + 1);
        job.done(comex_wait(&large));
        job.done(comex_wait(&signal));
      } else if (job.me == other) {
        job.done(comex_wait_until(words.of(other), COMEX_CMP_EQ, number));
        job.done(comex_put_signal(&one, memory.of(0), sizeof one, words.of(0), number, 0, everyone));
      }
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "under_way");
  if (job.has("fences")) fences(job);
  if (job.has("locks")) locks(job);
  if (job.has("calls")) calls(job);
  return 0;
}
