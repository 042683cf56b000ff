// A small operation, or a signal with its data, has left when its call returns: it arrives although its
// worker then makes no call. Nothing else has been sent to that server before, so that there is one credit.
//
// Usage: leaves signal | nbsignal | with_data BYTES | strided | vector | maximum
#include <array>
#include <cstdlib>
#include <vector>

#include "mpi/job.h"

using namespace comex::testing;

namespace {

constexpr int burst = 300;

// Puts the data twice, with one signal of the two each. The handle is implicit, and nothing completes it
// here.
void start_with_data(const Job& job, const std::vector<long>& data, long* to, long* data_to, int target) {
  for (long* const signal : {to, to + burst}) {
    job.done(comex_nbput_signal(data.data(), data_to, data.size() * sizeof(long), signal, 1, target, everyone,
                                nullptr));
  }
}

// Makes two words 1, which are `burst` words apart.
void start(const Job& job, const std::string& kind, long* to, int target) {
  static std::array<long, 2> ones{1, 1};
  long* const from = ones.data();
  long* const next = to + burst;
  constexpr int word = sizeof(long);
  if (kind == "signal") {
    job.done(comex_put_signal(from, to, word, next, 1, target, everyone));
  } else if (kind == "nbsignal") {
    job.done(comex_nbput_signal(from, to, word, next, 1, target, everyone, nullptr));
  } else if (kind == "strided") {
    int from_stride = word;
    int to_stride = burst * word;
    std::array<int, 2> count{word, 2};
    job.done(comex_nbputs(from, &from_stride, to, &to_stride, count.data(), 1, target, everyone, nullptr));
  } else if (kind == "vector") {
    std::array<void*, 2> sources{from, from + 1};
    std::array<void*, 2> places{next, to};
    comex_giov_t list{sources.data(), places.data(), 2, word};
    job.done(comex_nbputv(&list, 1, target, everyone, nullptr));
  } else {
    for (long* const each : {to, next})
      job.done(comex_nbacc_op(COMEX_OP_MAX, COMEX_ACC_LNG, from, each, word, target, everyone, nullptr));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "leaves");
  const std::string kind = job.arguments.front();
  const Everywhere<long> words(job, 2 * burst);
  const std::size_t size = kind == "with_data" ? std::strtoul(job.arguments.at(1).c_str(), nullptr, 10) : 0;
  const std::vector<long> data(size / sizeof(long), 1);
  const Everywhere<long> landing(job, data.size() + 1);
  const int last = job.workers - 1;
  const auto arrive = [&](int begin, int end) {
    if (job.me == 0) {
      for (int at = begin; at < end; ++at) {
        if (data.empty()) {
          start(job, kind, words.of(last) + at, last);
        } else {
          start_with_data(job, data, words.of(last) + at, landing.of(last), last);
        }
      }
      job.await_word(last);
    } else if (job.me == last) {
      const auto count = static_cast<std::size_t>(end - begin);
      for (long* const first : {words.mine() + begin, words.mine() + burst + begin})
        job.done(comex_wait_until_all(first, count, nullptr, COMEX_CMP_EQ, 1));
      for (std::size_t i = 0; i < data.size(); ++i) job.equal(landing.mine()[i], 1L, "the data");
      job.send_word(0);
    }
  };
  job.check("the first arrives while its worker waits in MPI", [&] { arrive(0, 1); });
  job.check("a burst arrives while its worker waits in MPI", [&] { arrive(1, burst); });
  return 0;
}
