// One operation larger than 2 GiB, or as large as it is told: strided put, get and accumulate of rows, or of
// one run and of two rows by the wide calls. Each has to fit in memory twice. Usage: large [rows of 1 MiB
// [wide]]
#include "mpi/job.h"

using namespace comex::testing;

namespace {

constexpr int row_bytes = 1 << 20;
constexpr std::size_t row_words = row_bytes / sizeof(long);
constexpr int gap_words = 8;

long word_at(std::size_t at) {
  return static_cast<long>(at * 2654435761u) >> 3;
}

void rows_to_and_fro(const Job& job, int rows) {
  const int origin = 0;
  const int target = job.workers - 1;  // the last one alone has memory
  const std::size_t words = static_cast<std::size_t>(rows) * row_words;
  const std::size_t far_words = static_cast<std::size_t>(rows) * (row_words + gap_words);
  std::vector<void*> far(static_cast<std::size_t>(job.workers));
  job.done(comex_malloc(far.data(), job.me == target ? far_words * sizeof(long) : 0, everyone));
  if (job.me == origin) {
    std::vector<long> near(words);
    for (std::size_t at = 0; at < words; ++at) near[at] = word_at(at);
    int near_stride = row_bytes;
    int far_stride = row_bytes + gap_words * static_cast<int>(sizeof(long));
    int count[2] = {row_bytes, rows};
    long scale = 3;
    void* const there = far.back();
    job.done(comex_puts(near.data(), &near_stride, there, &far_stride, count, 1, target, everyone));
    job.done(comex_accs(COMEX_ACC_LNG, &scale, near.data(), &near_stride, there, &far_stride, count, 1,
                        target, everyone));
    std::fill(near.begin(), near.end(), 0);
    job.done(comex_gets(there, &far_stride, near.data(), &near_stride, count, 1, target, everyone));
    for (std::size_t at = 0; at < words; ++at)
      job.equal(near[at], 4 * word_at(at), "a word of a large operation");
  }
  job.done(comex_barrier(everyone));
  job.done(comex_free(far.back(), everyone));
}

void one_run_to_and_fro(const Job& job, std::size_t words) {
  const int origin = 0;
  const int target = job.workers - 1;
  const std::size_t bytes = words * sizeof(long);
  std::vector<void*> far(static_cast<std::size_t>(job.workers));
  job.done(comex_malloc(far.data(), job.me == target ? bytes : 0, everyone));
  if (job.me == origin) {
    std::vector<long> near(words);
    for (std::size_t at = 0; at < words; ++at) near[at] = word_at(at);
    const long scale = 3;
    void* const there = far.back();
    comex_request_t handle = 0;
    job.done(comex_nbput_x(near.data(), there, bytes, target, everyone, &handle));
    job.done(comex_wait(&handle));
    job.done(comex_acc_x(COMEX_ACC_LNG, &scale, near.data(), there, bytes, target, everyone));
    const auto are_back = [&](const char* what) {
      for (std::size_t at = 0; at < words; ++at) job.require(near[at] == 4 * word_at(at), what);
    };
    std::fill(near.begin(), near.end(), 0);
    job.done(comex_get_x(there, near.data(), bytes, target, everyone));
    are_back("a word of a large operation is wrong");
    // Two rows, of which each, and so the stride between them, is half of it.
    const auto stride = static_cast<std::ptrdiff_t>(bytes / 2);
    const std::size_t counts[] = {bytes / 2, 2};
    job.done(comex_puts_x(near.data(), &stride, there, &stride, counts, 1, target, everyone));
    std::fill(near.begin(), near.end(), 0);
    job.done(comex_gets_x(there, &stride, near.data(), &stride, counts, 1, target, everyone));
    are_back("a word of two large rows is wrong");
  }
  job.done(comex_barrier(everyone));
  job.done(comex_free(far.back(), everyone));
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "large");
  const int rows = job.arguments.empty() ? 64 : std::atoi(job.arguments[0].c_str());
  if (job.has("wide")) {
    alarm(280);
    job.check("one run to and fro",
              [&] { one_run_to_and_fro(job, static_cast<std::size_t>(rows) * row_words); });
    return 0;
  }
  job.check("rows to and fro", [&] { rows_to_and_fro(job, rows); });
}
