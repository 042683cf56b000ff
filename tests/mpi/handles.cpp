// Handles: very many at once, waited for in any order, again, as copies; tested; and implicit ones.
// Usage: handles [operations | threads]
#include <random>

#include "mpi/job.h"

using namespace comex::testing;

namespace {

class Many {
 public:
  Many(const Job& job, int count)
      : job_(job),
        count_(static_cast<std::size_t>(count)),
        words_(job, count_ * static_cast<std::size_t>(job.workers)),
        values_(count_),
        landing_(count_),
        handles_(count_) {}

  void puts_and_gets() {
    for (std::size_t i = 0; i < count_; ++i) {
      values_[i] = static_cast<long>(i) * 10 + job_.me;
      job_.done(comex_nbput(&values_[i], place(i), sizeof(long), target(i), everyone, &handles_[i]));
    }
    std::vector<comex_request_t> gets(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      job_.done(comex_nbget(place(i), &landing_[i], sizeof(long), target(i), everyone, &gets[i]));
    }
    // Each is waited for in another way: directly, as a copy, by testing; some not at all.
    for (std::size_t i = count_; i-- > 0;) {
      comex_request_t copy = gets[i];
      if (i % 4 == 0) job_.done(comex_wait(&gets[i]));
      if (i % 4 == 1) job_.done(comex_wait(&copy));
      if (i % 4 == 2) finish_by_testing(gets[i]);
      if (i % 4 != 3) job_.equal(landing_[i], values_[i], "what a waited get brought");
    }
    job_.done(comex_wait_all(everyone));
    for (std::size_t i = 0; i < count_; ++i) job_.equal(landing_[i], values_[i], "what a get brought");
    for (std::size_t i = 0; i < count_; ++i) {
      job_.done(comex_wait(&handles_[i]));  // long complete
      job_.done(comex_wait(&gets[i]));
      int status = -1;
      job_.done(comex_test(&gets[i], &status));
      job_.equal(status, 0, "the test of a completed handle");
    }
  }

  void old_handles_stay_done() {
    for (int round = 0; round < 3; ++round) {
      comex_request_t handle = 0;
      for (std::size_t i = 0; i < count_ / 8; ++i) {
        job_.done(comex_nbget(place(i), &landing_[i], sizeof(long), target(i), everyone, &handle));
        job_.done(comex_wait(&handle));
        job_.done(comex_wait(&handles_[i]));  // a handle of the past, whose slot may have gone to another
        handles_[i] = handle;
      }
    }
  }

  void implicit_ones() {
    for (std::size_t i = 0; i < count_; ++i) {
      values_[i] = -static_cast<long>(i);
      job_.done(comex_nbput(&values_[i], place(i), sizeof(long), target(i), everyone, nullptr));
      job_.done(comex_nbget(place(i), &landing_[i], sizeof(long), target(i), everyone, nullptr));
    }
    for (int other = 0; other < job_.workers; ++other) job_.done(comex_wait_proc(other, everyone));
    for (std::size_t i = 0; i < count_; ++i)
      job_.equal(landing_[i], values_[i], "what an implicit get brought");
  }

  void large_ones() {
    constexpr std::size_t pieces = 100;
    constexpr std::size_t piece = 20000;
    Everywhere<long> data(job_, piece);
    for (std::size_t at = 0; at < piece; ++at) data.mine()[at] = job_.me + static_cast<long>(at) * 3;
    job_.done(comex_barrier(everyone));
    std::vector<long> landing(pieces * piece);
    std::vector<comex_request_t> handles(pieces);
    constexpr int bytes = static_cast<int>(piece * sizeof(long));
    for (std::size_t i = 0; i < pieces; ++i) {
      job_.done(
          comex_nbget(data.of(target(i)), &landing[i * piece], bytes, target(i), everyone, &handles[i]));
    }
    std::shuffle(handles.begin(), handles.end(), std::mt19937(7));
    for (comex_request_t& handle : handles) job_.done(comex_wait(&handle));
    for (std::size_t i = 0; i < pieces; ++i) {
      for (std::size_t at = 0; at < piece; ++at) {
        job_.equal(landing[i * piece + at], target(i) + static_cast<long>(at) * 3, "a word of a large get");
      }
    }
    job_.done(comex_barrier(everyone));
  }

 private:
  int target(std::size_t i) const {
    return static_cast<int>((i + static_cast<std::size_t>(job_.me)) % static_cast<std::size_t>(job_.workers));
  }
  long* place(std::size_t i) const {
    return words_.of(target(i)) + static_cast<std::size_t>(job_.me) * count_ + i;
  }
  void finish_by_testing(comex_request_t& handle) const {
    for (int status = 1; status != 0;) {
      job_.done(comex_test(&handle, &status));
      job_.require(status == 0 || status == 1, "test said neither 0 nor 1");
    }
  }

  const Job& job_;
  std::size_t count_;
  Everywhere<long> words_;
  std::vector<long> values_;
  std::vector<long> landing_;
  std::vector<comex_request_t> handles_;
};

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "handles");
  const int count = job.arguments.empty() || job.has("threads") ? 20000 : std::atoi(job.arguments[0].c_str());
  Many many(job, count);
  job.check("very many at once", [&] { many.puts_and_gets(); });
  job.check("old handles stay done", [&] { many.old_handles_stay_done(); });
  job.check("implicit ones", [&] { many.implicit_ones(); });
  job.check("large ones", [&] { many.large_ones(); });
}
