// Several threads of every worker at once: puts, gets, accumulates, rmws, locks, handles, each checked.
// Usage: threads [rounds]; "threads" itself need not be named.
#include <barrier>
#include <exception>
#include <random>
#include <string>
#include <thread>

#include "mpi/job.h"

using namespace comex::testing;

namespace {

constexpr int threads = 4;
constexpr std::size_t length = 9000;  // 72,000 bytes: with a body; each thread has as much at every target

// One thread's work. Memory of its own for data, words shared by all threads for the rest.
class Worker {
 public:
  Worker(const Job& job, const Everywhere<long>& data, const Everywhere<long>& words, int thread)
      : job_(job),
        data_(data),
        words_(words),
        thread_(thread),
        random_(static_cast<unsigned>(job.me * 10 + thread)) {}

  void run(int rounds) {
    for (long round = 1; round <= rounds; ++round) {
      const int target = static_cast<int>(random_() % static_cast<unsigned>(job_.workers));
      blocking_data(target, round, random_() % 4 == 0 ? length : 20);
      nonblocking_data(target, round);
      for (int task = 0; task < 8; ++task) short_block(round * 8 + task);
      shared_words(target);
      locked_word(target);
      if (random_() % 8 == 0) job_.done(comex_fence_all(everyone));
      if (random_() % 8 == 0) job_.done(comex_wait_all(everyone));
    }
  }

 private:
  long* own(int target) const {
    return data_.of(target) + static_cast<std::size_t>(job_.me * threads + thread_) * length;
  }

  void blocking_data(int target, long round, std::size_t count) {
    const int bytes = static_cast<int>(count * sizeof(long));
    std::vector<long> sent(count, round);
    std::vector<long> back(count);
    long scale = 2;
    job_.done(comex_put(sent.data(), own(target), bytes, target, everyone));
    job_.done(comex_acc(COMEX_ACC_LNG, &scale, sent.data(), own(target), bytes, target, everyone));
    job_.done(comex_get(own(target), back.data(), bytes, target, everyone));
    for (const long word : back) job_.equal(word, 3 * round, "a thread's word");
  }

  void nonblocking_data(int target, long round) {
    constexpr std::size_t count = 16;
    std::vector<long> sent(count, -round);
    std::vector<long> back(count);
    std::vector<comex_request_t> handles(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      job_.done(comex_nbput(&sent[i], own(target) + i, 8, target, everyone, &handles[i]));
      job_.done(comex_nbget(own(target) + i, &back[i], 8, target, everyone, &handles[count + i]));
    }
    int status = 1;
    while (status != 0) job_.done(comex_test(&handles.back(), &status));
    for (comex_request_t& handle : handles) job_.done(comex_wait(&handle));
    for (const long word : back) job_.equal(word, -round, "a thread's word");
  }

  // Of 1 to 4 ints at the target that a shared counter names: written, read twice and added to, with handles
  // on the stack and other threads let in between.
  void short_block(long round) const {
    long task = 0;
    job_.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &task, words_.of(0) + 3, 1, 0, everyone));
    const int target = static_cast<int>(task % job_.workers);
    const int count = 1 + static_cast<int>(task % 4);
    const int bytes = count * static_cast<int>(sizeof(int));
    auto* const there = reinterpret_cast<int*>(own(target) + 32);
    int one = 1;
    int sent[4];
    int ones[4] = {1, 1, 1, 1};
    int got[4] = {-1, -1, -1, -1};
    int again[4] = {-1, -1, -1, -1};
    for (int i = 0; i < 4; ++i) sent[i] = static_cast<int>(round) * 4 + i;
    comex_request_t put = 0;
    comex_request_t first = 0;
    comex_request_t second = 0;
    if (round % 2 == 0) {
      job_.done(comex_put(sent, there, bytes, target, everyone));
    } else {
      job_.done(comex_nbput(sent, there, bytes, target, everyone, &put));
    }
    job_.done(comex_nbget(there, got, bytes, target, everyone, &first));
    if (round % 3 == 0) std::this_thread::yield();
    job_.done(comex_nbacc(COMEX_ACC_INT, &one, ones, there, bytes, target, everyone, nullptr));
    if (round % 5 == 0) {
      job_.done(comex_get(there, again, bytes, target, everyone));
    } else {
      job_.done(comex_nbget(there, again, bytes, target, everyone, &second));
      job_.done(comex_wait(&second));
    }
    job_.done(comex_wait(&first));
    if (put != 0) job_.done(comex_wait(&put));
    for (int i = 0; i < count; ++i) {
      job_.equal(got[i], sent[i], "a thread's int");
      job_.equal(again[i], sent[i] + 1, "a thread's int that was added to");
    }
  }

  void shared_words(int target) const {
    long one = 1;
    long old = 0;
    job_.done(comex_acc(COMEX_ACC_LNG, &one, &one, words_.of(target), sizeof one, target, everyone));
    job_.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, words_.of(target) + 1, 1, target, everyone));
    comex_request_t handle = 0;
    job_.done(
        comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &old, words_.of(target) + 2, 1, target, everyone, &handle));
    job_.done(comex_wait(&handle));
  }

  // A mutex belongs to a worker, so each thread locks one of its own number.
  void locked_word(int target) const {
    long value = 0;
    job_.done(comex_lock(thread_, target));
    job_.done(comex_get(words_.of(target) + 8 + thread_, &value, sizeof value, target, everyone));
    ++value;
    job_.done(comex_put(&value, words_.of(target) + 8 + thread_, sizeof value, target, everyone));
    job_.done(comex_fence_proc(target, everyone));
    job_.done(comex_unlock(thread_, target));
  }

  const Job& job_;
  const Everywhere<long>& data_;
  const Everywhere<long>& words_;
  int thread_;
  std::mt19937 random_;
};

// A thread's line is not another one's, is handed out once, and stays until that thread asks again.
void fails_by_threads(const Job& job) {
  comex_set_errors(COMEX_ERRORS_RETURN);
  std::barrier all_have_failed(threads);
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      const int rank = 1000 + thread;
      int word = 0;
      job.require(comex_get(&word, &word, sizeof word, rank, everyone) == COMEX_FAILURE,
                  "there is no such rank");
      all_have_failed.arrive_and_wait();
      const char* const line = comex_error_text();
      const std::string copy = line;
      job.require(copy.find("get: rank " + std::to_string(rank) + " is out of range") != copy.npos,
                  copy.c_str());
      job.require(comex_fence_proc(rank, everyone) == COMEX_FAILURE, "there is no such rank");
      all_have_failed.arrive_and_wait();
      job.require(line == copy, "a line that was handed out stays");
      const std::string next = comex_error_text();
      job.require(next.find("fence_proc") != next.npos, next.c_str());
      job.require(*comex_error_text() == '\0', "a line is told once");
    });
  }
  for (std::thread& thread : running) thread.join();
  comex_set_errors(COMEX_ERRORS_ABORT);
}

// What others have found wrong has no line here: that of an older failure does not stand in for it.
void fails_elsewhere(const Job& job) {
  comex_set_errors(COMEX_ERRORS_RETURN);
  long word = 0;
  const auto fail_here = [&] {
    job.require(comex_get(&word, &word, sizeof word, 1000, everyone) == COMEX_FAILURE,
                "there is no such rank");
  };
  const auto has_no_older_line = [&] {
    const std::string said = comex_error_text();
    job.require(said.find("rank 1000") == said.npos, said.c_str());
    return said.empty();
  };
  char* const nowhere = reinterpret_cast<char*>(std::uintptr_t{1} << 46);
  fail_here();
  job.require(comex_get(nowhere, &word, sizeof word, (job.me + 1) % job.workers, everyone) == COMEX_FAILURE,
              "a get from nowhere");
  has_no_older_line();  // on one host it has a line of its own
  fail_here();
  std::vector<void*> places(static_cast<std::size_t>(job.workers));
  job.require(comex_malloc(job.me == 0 ? nullptr : places.data(), 8, everyone) == COMEX_FAILURE,
              "an allocation for whose addresses one has no place");
  job.equal(has_no_older_line(), job.me != 0, "only one has a line");
  comex_set_errors(COMEX_ERRORS_ABORT);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  char with_threads[] = "threads";
  arguments.push_back(with_threads);
  Job job(argc + 1, arguments.data(), "threads");
  if (job.thread_level != MPI_THREAD_MULTIPLE) {
    if (job.me == 0) std::puts("skipped: this MPI has no MPI_THREAD_MULTIPLE");
    return 0;
  }
  const int rounds = job.arguments.size() > 1 ? std::atoi(job.arguments[0].c_str()) : 60;
  Everywhere<long> data(job, static_cast<std::size_t>(job.workers * threads) * length);
  Everywhere<long> words(job, 16);
  job.done(comex_create_mutexes(threads));
  job.check("threads do everything at once", [&] {
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] { Worker(job, data, words, thread).run(rounds); });
    }
    for (std::thread& thread : running) thread.join();
  });
  job.check("each thread has the text of its own failure", [&] { fails_by_threads(job); });
  job.check("a failure told elsewhere has no text", [&] { fails_elsewhere(job); });
  long counts[4] = {words.mine()[0], words.mine()[1], words.mine()[2], 0};
  for (int thread = 0; thread < threads; ++thread) counts[3] += words.mine()[8 + thread];
  long all[4] = {};
  MPI_Allreduce(counts, all, 4, MPI_LONG, MPI_SUM, job.comm);
  for (const long count : all)
    job.equal(count, long{rounds} * threads * job.workers, "a count of all threads");
  job.done(comex_destroy_mutexes());
}
