// Concurrent accumulates of all workers into the same memory add up exactly.
//
// Every worker adds its own whole numbers to every target's one region, in random layouts, blocking
// and not; in the end each element is the sum that follows from the definition. All types; elements
// start at odd places, so that some cross the boundary of two locked blocks.
// Usage: accumulates [rounds [seed]]; COMEX_TEST_SEED sets the seed as well.
#include <comex/comex.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "support/seed.h"

namespace {

constexpr int elements = 6000;  // three blocks of 16 KiB for the 8-byte types
constexpr int columns = 60;

struct Job {
  int me = 0;
  int workers = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  unsigned long seed = 0;
  long rounds = 30;
};

[[noreturn]] void fail(const Job& job, const std::string& what) {
  const std::string text =
      "accumulates: worker " + std::to_string(job.me) + ", seed " + std::to_string(job.seed) + ": " + what;
  comex_error(text.c_str(), 1);
  std::abort();
}

// A type of accumulate: `parts` numbers of type T an element.
template <class T, int parts>
class Together {
 public:
  Together(const Job& job, int code)
      : job_(job), code_(code), random_(job.seed + static_cast<unsigned>(job.me)) {
    pointers_.resize(static_cast<std::size_t>(job.workers));
    // One number in front: complex elements then lie across the boundaries of blocks.
    const std::size_t bytes = (numbers + 1) * sizeof(T);
    if (comex_malloc(pointers_.data(), bytes, COMEX_GROUP_WORLD) != COMEX_SUCCESS) fail(job, "comex_malloc");
    T* mine = static_cast<T*>(pointers_[static_cast<std::size_t>(job.me)]);
    for (std::size_t i = 0; i <= numbers; ++i) mine[i] = T{0};
    source_.resize(numbers);
    for (std::size_t i = 0; i < numbers; ++i) source_[i] = number_of(job.me, i);
    scale_[0] = T{2};
    scale_[1] = T{1};
    comex_barrier(COMEX_GROUP_WORLD);
  }

  void run() {
    for (long round = 0; round < job_.rounds; ++round)
      for (int i = 0; i < job_.workers; ++i) add_all((job_.me + i) % job_.workers);
    comex_wait_all(COMEX_GROUP_WORLD);
    comex_barrier(COMEX_GROUP_WORLD);
    check();
    comex_barrier(COMEX_GROUP_WORLD);
    if (comex_free(pointers_[static_cast<std::size_t>(job_.me)], COMEX_GROUP_WORLD) != COMEX_SUCCESS)
      fail(job_, "comex_free");
  }

 private:
  static constexpr std::size_t numbers = std::size_t{elements} * parts;
  static constexpr int element_bytes = static_cast<int>(sizeof(T)) * parts;

  static T number_of(int worker, std::size_t i) {
    return static_cast<T>(static_cast<int>(i % 5) + worker + 1);
  }
  T* far(int target) { return static_cast<T*>(pointers_[static_cast<std::size_t>(target)]) + 1; }

  // Every element once, by one of three layouts.
  void add_all(int target) {
    const bool blocking = random_() % 2 == 0;
    int code = COMEX_FAILURE;
    switch (random_() % 3) {
      case 0:
        code = add_contiguous(target, blocking);
        break;
      case 1:
        code = add_columns(target, blocking);
        break;
      default:
        code = add_segments(target, blocking);
        break;
    }
    if (code != COMEX_SUCCESS) fail(job_, "an accumulate failed");
  }

  int add_contiguous(int target, bool blocking) {
    constexpr int bytes = elements * element_bytes;
    if (blocking)
      return comex_acc(code_, scale_, source_.data(), far(target), bytes, target, COMEX_GROUP_WORLD);
    return comex_nbacc(code_, scale_, source_.data(), far(target), bytes, target, COMEX_GROUP_WORLD, nullptr);
  }

  // Seen as a matrix, in two halves of its columns.
  int add_columns(int target, bool blocking) {
    int stride = columns * element_bytes;
    int count[2] = {columns / 2 * element_bytes, elements / columns};
    for (std::size_t half : {std::size_t{1}, std::size_t{0}}) {
      const std::size_t first = half * columns / 2 * parts;
      T* from = source_.data() + first;
      T* to = far(target) + first;
      const int code = blocking ? comex_accs(code_, scale_, from, &stride, to, &stride, count, 1, target,
                                             COMEX_GROUP_WORLD)
                                : comex_nbaccs(code_, scale_, from, &stride, to, &stride, count, 1, target,
                                               COMEX_GROUP_WORLD, nullptr);
      if (code != COMEX_SUCCESS) return code;
    }
    return COMEX_SUCCESS;
  }

  // Single elements at one end, larger pieces behind.
  int add_segments(int target, bool blocking) {
    constexpr std::size_t singles = 100;
    constexpr std::size_t pieces = 59;
    constexpr std::size_t piece = (elements - singles) / pieces;
    static_assert(singles + piece * pieces == elements);
    std::vector<void*> from;
    std::vector<void*> to;
    const auto add = [&](std::size_t element) {
      from.push_back(source_.data() + element * parts);
      to.push_back(far(target) + element * parts);
    };
    for (std::size_t i = 0; i < singles; ++i) add(i);
    for (std::size_t i = 0; i < pieces; ++i) add(singles + i * piece);
    comex_giov_t vectors[2] = {
        {from.data(), to.data(), singles, element_bytes},
        {from.data() + singles, to.data() + singles, pieces, static_cast<int>(piece) * element_bytes}};
    if (blocking) return comex_accv(code_, scale_, vectors, 2, target, COMEX_GROUP_WORLD);
    return comex_nbaccv(code_, scale_, vectors, 2, target, COMEX_GROUP_WORLD, nullptr);
  }

  void check() {
    for (std::size_t element = 0; element < elements; ++element) {
      T expected[2] = {T{0}, T{0}};
      for (int worker = 0; worker < job_.workers; ++worker) {
        const T a = number_of(worker, element * parts);
        if constexpr (parts == 1) {
          expected[0] += scale_[0] * a;
        } else {
          const T b = number_of(worker, element * parts + 1);
          expected[0] += scale_[0] * a - scale_[1] * b;
          expected[1] += scale_[0] * b + scale_[1] * a;
        }
      }
      for (std::size_t part = 0; part < parts; ++part) {
        const T wanted = static_cast<T>(job_.rounds) * expected[part];
        const T found = far(job_.me)[element * parts + part];
        if (found < wanted || found > wanted)
          fail(job_, "type " + std::to_string(code_) + ", element " + std::to_string(element) + " is " +
                         std::to_string(found) + ", must be " + std::to_string(wanted));
      }
    }
  }

  const Job& job_;
  int code_;
  std::mt19937_64 random_;
  std::vector<void*> pointers_;
  std::vector<T> source_;
  T scale_[2] = {};
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (comex_init() != COMEX_SUCCESS) return 1;
  Job job;
  comex_group_rank(COMEX_GROUP_WORLD, &job.me);
  comex_group_size(COMEX_GROUP_WORLD, &job.workers);
  comex_group_comm(COMEX_GROUP_WORLD, &job.comm);
  if (argc > 1) job.rounds = std::strtol(argv[1], nullptr, 10);
  job.seed = comex::testing::chosen_seed(argc, argv);
  MPI_Bcast(&job.seed, 1, MPI_UNSIGNED_LONG, 0, job.comm);
  if (job.me == 0) {
    std::printf("accumulates: %d workers, %ld rounds, seed %lu ...", job.workers, job.rounds, job.seed);
    std::fflush(stdout);
  }
  Together<int, 1>(job, COMEX_ACC_INT).run();
  Together<long, 1>(job, COMEX_ACC_LNG).run();
  Together<float, 1>(job, COMEX_ACC_FLT).run();
  Together<double, 1>(job, COMEX_ACC_DBL).run();
  Together<float, 2>(job, COMEX_ACC_CPL).run();
  Together<double, 2>(job, COMEX_ACC_DCP).run();
  MPI_Barrier(job.comm);
  if (job.me == 0) std::printf(" ok\n");
  comex_finalize();
  MPI_Finalize();
  return 0;
}
