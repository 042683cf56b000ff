// Thousands of random operations from every worker to every target, checked against the model.
//
// Each worker has a region of its own at every target, so that its program order decides every byte.
// Usage: differential [operations [seed]]; COMEX_TEST_SEED sets the seed as well. The line it prints
// names the seed; the status is 0 only if every result and all memory at the end are the model's.
#include <comex/comex.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/model.h"
#include "support/model_call.h"
#include "support/seed.h"

namespace {

using comex::testing::Call;
using comex::testing::Operation;
using comex::testing::region_bytes;
using comex::testing::Verb;

constexpr long landing_capacity = 4L << 20;
constexpr std::size_t most_handles = 300;

enum class Mode { blocking, handle, implicit };

struct Job {
  int me = 0;
  int workers = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  unsigned long seed = 0;
  long operations = 2000;
};

[[noreturn]] void fail(const Job& job, const std::string& what) {
  const std::string text =
      "differential: worker " + std::to_string(job.me) + ", seed " + std::to_string(job.seed) + ": " + what;
  comex_error(text.c_str(), 1);
  std::abort();
}

std::uint64_t region_seed(const Job& job, int origin, int target) {
  return job.seed * 1000003 + static_cast<unsigned long>(origin) * 1009 + static_cast<unsigned long>(target);
}

// Near memory of one worker: sources that never change, and a place where results land one after
// another until they are compared, together.
class Near {
 public:
  explicit Near(const Job& job)
      : job_(job),
        source_(static_cast<std::size_t>(region_bytes)),
        landing_(static_cast<std::size_t>(landing_capacity)),
        expected_(landing_.size()) {
    comex::testing::fill_region(source_.data(), region_seed(job, job.me, job.workers));
    pristine_ = source_;
  }

  bool has_capacity(long bytes) const { return landed_ + bytes <= landing_capacity; }
  std::byte* source() { return source_.data(); }
  std::byte* real_landing() { return landing_.data() + landed_; }
  std::byte* model_landing() { return expected_.data() + landed_; }
  void take(long bytes) { landed_ += (bytes + 15) / 16 * 16; }

  // Only when nothing is outstanding; a blocking result is checked alone.
  void check_all(const char* when) {
    if (landing_ != expected_) fail(job_, std::string("results differ ") + when);
    if (source_ != pristine_) fail(job_, std::string("a source was written to ") + when);
    landed_ = 0;
  }
  void check_last(const Operation& operation, long number) {
    if (std::memcmp(real_landing(), model_landing(), static_cast<std::size_t>(operation.landing_bytes)) != 0)
      fail(job_, "operation " + std::to_string(number) + " got a wrong result: " + operation.describe());
  }

 private:
  const Job& job_;
  std::vector<std::byte> source_;
  std::vector<std::byte> pristine_;
  std::vector<std::byte> landing_;
  std::vector<std::byte> expected_;
  long landed_ = 0;
};

class Differential {
 public:
  explicit Differential(const Job& job)
      : job_(job), maker_(region_seed(job, job.me, job.workers + 1), true), near_(job) {
    const auto workers = static_cast<std::size_t>(job.workers);
    pointers_.resize(workers);
    model_.resize(workers * static_cast<std::size_t>(region_bytes));
    if (comex_malloc(pointers_.data(), model_.size(), COMEX_GROUP_WORLD) != COMEX_SUCCESS)
      fail(job, "comex_malloc");
    for (int other = 0; other < job.workers; ++other) {
      comex::testing::fill_region(mine() + other * region_bytes, region_seed(job, other, job.me));
      comex::testing::fill_region(model(other), region_seed(job, job.me, other));
    }
    comex_barrier(COMEX_GROUP_WORLD);
  }

  void run() {
    for (long number = 0; number < job_.operations; ++number) {
      one(number);
      sync_now_and_then();
    }
    drain("at the end");
    comex_fence_all(COMEX_GROUP_WORLD);
    comex_barrier(COMEX_GROUP_WORLD);
    compare_regions();
    if (comex_free(pointers_[static_cast<std::size_t>(job_.me)], COMEX_GROUP_WORLD) != COMEX_SUCCESS)
      fail(job_, "comex_free");
  }

 private:
  std::byte* mine() { return static_cast<std::byte*>(pointers_[static_cast<std::size_t>(job_.me)]); }
  std::byte* model(int target) { return model_.data() + target * region_bytes; }

  void one(long number) {
    const auto target = static_cast<int>(maker_.below(job_.workers));
    const Operation operation = maker_.make();
    const auto mode = static_cast<Mode>(maker_.below(3));
    const bool lands = operation.verb == Verb::get || operation.verb == Verb::rmw;
    if (!near_.has_capacity(operation.landing_bytes) || handles_.size() >= most_handles)
      drain("after a while");

    auto* far = static_cast<std::byte*>(pointers_[static_cast<std::size_t>(target)]) + job_.me * region_bytes;
    std::byte* real = lands ? near_.real_landing() : near_.source();
    if (operation.verb == Verb::rmw) comex::testing::set_operand(operation, real);
    apply(operation, lands ? near_.model_landing() : near_.source(), model(target));

    Call call(operation, real, far, target);
    comex_request_t handle = 0;
    const int code = mode == Mode::blocking ? call.blocking()
                     : mode == Mode::handle ? call.nonblocking(&handle)
                                            : call.nonblocking(nullptr);
    if (code != COMEX_SUCCESS)
      fail(job_, "operation " + std::to_string(number) + " failed: " + operation.describe());
    if (mode == Mode::handle) handles_.push_back(handle);
    if (mode == Mode::blocking && lands) near_.check_last(operation, number);
    if (lands) near_.take(operation.landing_bytes);
  }

  void sync_now_and_then() {
    const auto target = static_cast<int>(maker_.below(job_.workers));
    switch (maker_.below(60)) {
      case 0:
        comex_fence_proc(target, COMEX_GROUP_WORLD);
        break;
      case 1:
        comex_wait_proc(target, COMEX_GROUP_WORLD);
        break;
      case 2:
        drain("after a while");
        break;
      case 3:
        comex_fence_all(COMEX_GROUP_WORLD);
        break;
      case 4: {
        comex_request_t fence = 0;
        if (comex_nbfence(target, COMEX_GROUP_WORLD, &fence) != COMEX_SUCCESS) fail(job_, "comex_nbfence");
        handles_.push_back(fence);
        break;
      }
      case 5:
        wait_until_own_words_are_there();
        break;
      case 6:
        if (comex_fence_allocation(mine(), COMEX_GROUP_WORLD) != COMEX_SUCCESS)
          fail(job_, "comex_fence_allocation");
        break;
      case 7:
      case 8:
        if (!handles_.empty())
          wait_for(handles_[static_cast<std::size_t>(maker_.below(static_cast<long>(handles_.size())))]);
        break;
      default:
        break;
    }
  }

  // The shared words of the own region here, which only this worker writes: they get what the model has.
  void wait_until_own_words_are_there() {
    using comex::testing::shared_words;
    constexpr auto words = static_cast<std::size_t>(shared_words);
    long expected[words];
    std::memcpy(expected, model(job_.me), sizeof expected);
    auto* const here = reinterpret_cast<long*>(mine() + job_.me * region_bytes);
    const auto wanted = static_cast<std::size_t>(maker_.below(shared_words));
    int skip[words] = {};
    for (std::size_t i = 0; i < words; ++i) skip[i] = expected[i] == expected[wanted] ? 0 : 1;
    std::size_t index = words;
    std::size_t indices[words];
    std::size_t found = 0;
    const long value = expected[wanted];
    if (comex_wait_until_all(here, words, skip, COMEX_CMP_EQ, value) != COMEX_SUCCESS ||
        comex_fence_proc(job_.me, COMEX_GROUP_WORLD) != COMEX_SUCCESS ||  // no write is under way any more
        comex_wait_until_any(here, words, skip, COMEX_CMP_EQ, value, &index) != COMEX_SUCCESS ||
        comex_wait_until_some(here, words, skip, COMEX_CMP_EQ, value, indices, &found) != COMEX_SUCCESS)
      fail(job_, "comex_wait_until_");
    const auto waited_for = static_cast<std::size_t>(std::count(skip, skip + words, 0));
    const auto first = static_cast<std::size_t>(std::find(skip, skip + words, 0) - skip);
    if (index != first || found != waited_for) fail(job_, "a wait for words found others than the model");
  }

  // Through a copy now and then, by testing now and then; the handle stays good to wait for again.
  void wait_for(comex_request_t& handle) {
    comex_request_t copy = handle;
    int status = 1;
    switch (maker_.below(3)) {
      case 0:
        status = comex_wait(&handle);
        break;
      case 1:
        status = comex_wait(&copy);
        break;
      default:
        while (status != 0)
          if (comex_test(&handle, &status) != COMEX_SUCCESS) fail(job_, "comex_test");
    }
    if (status != COMEX_SUCCESS) fail(job_, "comex_wait");
  }

  void drain(const char* when) {
    if (maker_.one_in(2)) comex_wait_all(COMEX_GROUP_WORLD);
    for (comex_request_t& handle : handles_) wait_for(handle);
    comex_wait_all(COMEX_GROUP_WORLD);
    handles_.clear();
    near_.check_all(when);
  }

  // Each origin's model of a region goes to the target, which compares by plain loads.
  void compare_regions() {
    std::vector<std::byte> expected(model_.size());
    MPI_Alltoall(model_.data(), static_cast<int>(region_bytes), MPI_BYTE, expected.data(),
                 static_cast<int>(region_bytes), MPI_BYTE, job_.comm);
    for (std::size_t at = 0; at < expected.size(); ++at)
      if (mine()[at] != expected[at])
        fail(job_, "memory differs at the end: region of origin " +
                       std::to_string(at / static_cast<std::size_t>(region_bytes)) + ", offset " +
                       std::to_string(at % static_cast<std::size_t>(region_bytes)));
  }

  const Job& job_;
  comex::testing::OperationMaker maker_;
  Near near_;
  std::vector<void*> pointers_;
  std::vector<std::byte> model_;  // my region at every target
  std::vector<comex_request_t> handles_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (comex_init() != COMEX_SUCCESS) return 1;
  Job job;
  comex_group_rank(COMEX_GROUP_WORLD, &job.me);
  comex_group_size(COMEX_GROUP_WORLD, &job.workers);
  comex_group_comm(COMEX_GROUP_WORLD, &job.comm);
  if (argc > 1) job.operations = std::strtol(argv[1], nullptr, 10);
  job.seed = comex::testing::chosen_seed(argc, argv);
  MPI_Bcast(&job.seed, 1, MPI_UNSIGNED_LONG, 0, job.comm);
  if (job.me == 0) {
    std::printf("differential: %d workers, %ld operations each, seed %lu ...", job.workers, job.operations,
                job.seed);
    std::fflush(stdout);
  }
  Differential(job).run();
  MPI_Barrier(job.comm);
  if (job.me == 0) std::printf(" ok\n");
  comex_finalize();
  MPI_Finalize();
  return 0;
}
