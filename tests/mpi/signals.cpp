// Signals of all forms, waits for several words, fences of other kinds, and transfers of any size as wide
// calls. Usage: signals [threads]
#include <comex/worlds.h>

#include <array>
#include <numeric>

#include "mpi/job.h"

using namespace comex::testing;

namespace {

constexpr std::size_t most = 60000;
constexpr std::size_t sizes[] = {0, 1, 250, most};

// Each worker sends to each, and each waits for the words of all; what was sent is there with its signal.
class Signals {
 public:
  explicit Signals(const Job& job)
      : job_(job),
        words_(job, static_cast<std::size_t>(job.workers) + 1),
        data_(job, static_cast<std::size_t>(job.workers) * most) {}

  void values_come_with_their_data() {
    for (long turn = 1; turn <= 8; ++turn) {
      const std::size_t count = sizes[turn % 4];
      const std::vector<int> source(count, number(job_.me, turn));
      for (int target = 0; target < job_.workers; ++target) {
        int* const to = data_.of(target) + static_cast<std::size_t>(job_.me) * most;
        job_.done(comex_nbput_signal(source.data(), to, count * sizeof(int), words_.of(target) + job_.me,
                                     turn, target, everyone, nullptr));
      }
      await(turn);
      for (int origin = 0; origin < job_.workers; ++origin) {
        const int* const from = data_.mine() + static_cast<std::size_t>(origin) * most;
        for (std::size_t i = 0; i < count; ++i)
          job_.equal(from[i], number(origin, turn), "an element that came with its signal");
      }
      job_.done(comex_wait_all(everyone));
      job_.done(comex_barrier(everyone));
    }
  }

  // In one of three ways.
  void await(long turn) {
    const auto all = static_cast<std::size_t>(job_.workers);
    long* const words = words_.mine();
    if (turn % 3 == 0) return job_.done(comex_wait_until_all(words, all, nullptr, COMEX_CMP_EQ, turn));
    std::vector<int> skip(all, 0);
    std::size_t seen = 0;
    while (seen < all) {
      if (turn % 3 == 1) {
        std::size_t index = all;
        job_.done(comex_wait_until_any(words, all, skip.data(), COMEX_CMP_EQ, turn, &index));
        job_.require(index < all && skip[index] == 0 && look(words + index) == turn, "any: a wrong word");
        skip[index] = 1;
        ++seen;
      } else {
        std::vector<std::size_t> indices(all, all);
        std::size_t found = 0;
        job_.done(comex_wait_until_some(words, all, skip.data(), COMEX_CMP_EQ, turn, indices.data(), &found));
        job_.require(found != 0 && seen + found <= all, "some: a wrong number of words");
        for (std::size_t i = 0; i < found; ++i) {
          job_.require(skip[indices[i]] == 0, "some: a word that was left out");
          skip[indices[i]] = 1;
        }
        seen += found;
      }
    }
  }

  // All add to one word of each.
  void additions_count_what_has_come() {
    const auto all = static_cast<std::size_t>(job_.workers);
    const std::vector<int> source(most, job_.me + 1);
    for (int target = 0; target < job_.workers; ++target) {
      int* const to = data_.of(target) + static_cast<std::size_t>(job_.me) * most;
      long* const word = words_.of(target) + job_.workers;
      constexpr std::size_t half = most / 2 * sizeof(int);
      job_.done(comex_put_signal_add(source.data(), to, half, word, 1, target, everyone));
      comex_request_t handle = 0;
      job_.done(comex_nbput_signal_add(source.data() + most / 2, to + most / 2, half, word, 100, target,
                                       everyone, &handle));
      job_.done(comex_wait(&handle));
      job_.done(comex_nbput_signal_add(nullptr, nullptr, 0, word, 10000, target, everyone, nullptr));
    }
    job_.done(comex_wait_until(words_.mine() + all, COMEX_CMP_EQ, 10101 * job_.workers));
    for (std::size_t i = 0; i < all * most; ++i)
      job_.equal(data_.mine()[i], static_cast<int>(i / most) + 1, "an element that was counted");
    job_.done(comex_barrier(everyone));
  }

  // Both places are looked at before either is written.
  void refused_signals_write_nothing() {
    const auto all = static_cast<std::size_t>(job_.workers);
    std::fill_n(words_.mine(), all + 1, 0L);
    data_.mine()[0] = 0;
    job_.done(comex_barrier(everyone));
    const std::vector<int> source(most, 5);
    const int target = (job_.me + 1) % job_.workers;
    comex_set_errors(COMEX_ERRORS_RETURN);
    const auto refuses = [&](int* to, std::size_t count, long* word) {
      for (const bool adds : {false, true}) {
        comex_request_t handle = 0;
        int code = (adds ? comex_nbput_signal_add : comex_nbput_signal)(
            source.data(), to, count * sizeof(int), word, 3, target, everyone, &handle);
        if (code == COMEX_SUCCESS) code = comex_wait(&handle);
        if (code == COMEX_SUCCESS) code = comex_fence_proc(target, everyone);
        job_.require(code == COMEX_FAILURE, "a wrong address was taken");
      }
    };
    for (const std::size_t count : {std::size_t{2}, most}) {
      refuses(data_.of(target) + all * most - 1, count, words_.of(target));
      refuses(data_.of(target), count, words_.of(target) + (std::size_t{1} << 40));
      refuses(data_.of(target), count,
              reinterpret_cast<long*>(reinterpret_cast<char*>(words_.of(target)) + 4));
    }
    comex_set_errors(COMEX_ERRORS_ABORT);
    job_.done(comex_barrier(everyone));
    job_.equal(words_.mine()[0], 0L, "the word of a refused signal");
    job_.equal(data_.mine()[0], 0, "the data of a refused signal");
  }

 private:
  static int number(int worker, long turn) { return 1000 * worker + static_cast<int>(turn); }

  const Job& job_;
  Everywhere<long> words_;
  Everywhere<int> data_;
};

void nothing_to_wait_for_is_over_at_once(const Job& job) {
  std::array<long, 3> words{1, 2, 3};
  constexpr std::array<int, 3> skip{1, 1, 1};
  std::array<std::size_t, 3> indices{};
  std::size_t index = 9;
  job.done(comex_wait_until_all(words.data(), 3, skip.data(), COMEX_CMP_EQ, 7));
  job.done(comex_wait_until_all(nullptr, 0, nullptr, COMEX_CMP_EQ, 7));
  job.done(comex_wait_until_any(words.data(), 3, skip.data(), COMEX_CMP_EQ, 7, &index));
  job.equal(index, 3, "the index where no word is left");
  index = 9;
  job.done(comex_wait_until_some(words.data(), 3, skip.data(), COMEX_CMP_EQ, 7, indices.data(), &index));
  job.equal(index, 0, "the number found where no word is left");
  job.done(comex_wait_until_some(words.data(), 3, nullptr, COMEX_CMP_GE, 2, indices.data(), &index));
  job.require(index == 2 && indices[0] == 1 && indices[1] == 2, "all that compare are found");
  comex_set_errors(COMEX_ERRORS_RETURN);
  job.require(comex_wait_until_all(nullptr, 1, nullptr, COMEX_CMP_EQ, 1) == COMEX_FAILURE, "a null word");
  job.require(comex_wait_until_any(words.data(), 3, nullptr, 6, 1, &index) == COMEX_FAILURE, "comparison 6");
  job.require(comex_wait_until_any(words.data(), 3, nullptr, COMEX_CMP_EQ, 1, nullptr) == COMEX_FAILURE,
              "no place for the index");
  job.require(
      comex_wait_until_some(words.data(), 3, nullptr, COMEX_CMP_EQ, 1, nullptr, &index) == COMEX_FAILURE,
      "no place for the indices");
  comex_set_errors(COMEX_ERRORS_ABORT);
}

// What was written before is there for others once the fence is complete.
void fences_complete_what_was_written(const Job& job) {
  Everywhere<long> words(job, 1 + static_cast<std::size_t>(job.workers));
  const auto mine = static_cast<std::size_t>(job.me);
  for (long turn = 1; turn <= 20; ++turn) {
    std::vector<comex_request_t> fences;
    for (int target = 0; target < job.workers; ++target) {
      job.done(comex_nbput_x(&turn, words.of(target) + mine, sizeof turn, target, everyone, nullptr));
      comex_request_t handle = 0;
      if (turn % 3 != 0) job.done(comex_nbfence(target, everyone, turn % 2 == 0 ? &handle : nullptr));
      if (turn % 3 != 0 && turn % 2 == 0) fences.push_back(handle);
    }
    for (comex_request_t& fence : fences) {
      int pending = 1;
      while (pending != 0) job.done(comex_test(&fence, &pending));
    }
    if (turn % 3 == 0) {
      job.done(comex_fence_allocation(turn % 2 == 0 ? words.mine() : nullptr, everyone));
    } else if (turn % 2 != 0) {
      job.done(comex_wait_all(everyone));
    }
    MPI_Barrier(job.comm);  // it fences nothing
    for (int worker = 0; worker < job.workers; ++worker)
      job.equal(look(words.mine() + worker), turn, "what a fence was to complete");
    MPI_Barrier(job.comm);
  }
  comex_group_t copy = COMEX_GROUP_NULL;
  job.done(comex_group_dup(everyone, &copy));
  job.done(comex_fence_allocation(words.mine(), copy));
  job.done(comex_group_free(copy));
  comex_set_errors(COMEX_ERRORS_RETURN);
  job.require(comex_fence_allocation(words.mine() + 1, everyone) == COMEX_FAILURE, "no allocation's address");
  job.require(comex_fence_allocation(words.mine(), COMEX_GROUP_SELF) == COMEX_FAILURE, "another group");
  job.require(comex_nbfence(job.workers, everyone, nullptr) == COMEX_FAILURE, "a rank that is none");
  comex_set_errors(COMEX_ERRORS_ABORT);
}

// The wide forms do what the others do; sizes that no memory has are refused.
void wide_calls_move_what_they_say(const Job& job) {
  constexpr std::size_t rows = 200;
  constexpr std::size_t row = 40;
  Everywhere<long> memory(job, static_cast<std::size_t>(job.workers) * rows * row);
  constexpr ptrdiff_t near_stride = row / 2 * sizeof(long);
  constexpr ptrdiff_t far_stride = row * sizeof(long);
  constexpr size_t counts[] = {row / 2 * sizeof(long), rows};
  std::vector<long> source(rows * row / 2);
  std::iota(source.begin(), source.end(), 1000L * job.me);
  const long scale = 2;
  for (int target = 0; target < job.workers; ++target) {
    long* const far = memory.of(target) + static_cast<std::size_t>(job.me) * rows * row;
    std::vector<void*> near_segments;
    std::vector<void*> far_segments;
    for (std::size_t i = 0; i < rows; ++i) {
      near_segments.push_back(source.data() + i * row / 2);
      far_segments.push_back(far + i * row);
    }
    const comex_giov_x_t put{near_segments.data(), far_segments.data(), rows, counts[0]};
    comex_request_t handle = 0;
    job.done(comex_puts_x(source.data(), &near_stride, far, &far_stride, counts, 1, target, everyone));
    job.done(comex_nbaccs_x(COMEX_ACC_LNG, &scale, source.data(), &near_stride, far, &far_stride, counts, 1,
                            target, everyone, nullptr));
    job.done(comex_accv_x(COMEX_ACC_LNG, &scale, &put, 1, target, everyone));
    job.done(comex_nbaccv_x(COMEX_ACC_LNG, &scale, &put, 1, target, everyone, &handle));
    job.done(comex_wait(&handle));
    job.done(comex_acc_x(COMEX_ACC_LNG, &scale, source.data(), far, counts[0], target, everyone));
    job.done(comex_nbacc_x(COMEX_ACC_LNG, &scale, source.data(), far, counts[0], target, everyone, nullptr));
    job.done(comex_wait_proc(target, everyone));
    std::vector<long> back(source.size());
    const auto expect = [&](const char* what) {
      for (std::size_t i = 0; i < back.size(); ++i)
        job.equal(back[i], (i < row / 2 ? 11 : 7) * source[i], what);
      std::fill(back.begin(), back.end(), 0);
    };
    job.done(comex_gets_x(far, &far_stride, back.data(), &near_stride, counts, 1, target, everyone));
    expect("gets_x");
    job.done(
        comex_nbgets_x(far, &far_stride, back.data(), &near_stride, counts, 1, target, everyone, &handle));
    job.done(comex_wait(&handle));
    expect("nbgets_x");
    for (std::size_t i = 0; i < rows; ++i) near_segments[i] = back.data() + i * row / 2;
    const comex_giov_x_t get{far_segments.data(), near_segments.data(), rows, counts[0]};
    job.done(comex_getv_x(&get, 1, target, everyone));
    expect("getv_x");
    job.done(comex_nbgetv_x(&get, 1, target, everyone, &handle));
    job.done(comex_wait(&handle));
    expect("nbgetv_x");
    job.done(
        comex_nbputs_x(source.data(), &near_stride, far, &far_stride, counts, 1, target, everyone, nullptr));
    for (std::size_t i = 0; i < rows; ++i) near_segments[i] = source.data() + i * row / 2;
    job.done(comex_nbputv_x(&put, 1, target, everyone, &handle));
    job.done(comex_wait(&handle));
    job.done(comex_putv_x(&put, 1, target, everyone));
    job.done(comex_nbget_x(far, back.data(), counts[0], target, everyone, &handle));
    job.done(comex_wait(&handle));
    for (std::size_t i = 0; i < row / 2; ++i) job.equal(back[i], source[i], "nbget_x");

    comex_set_errors(COMEX_ERRORS_RETURN);
    const std::size_t huge = SIZE_MAX - 7;
    const std::size_t huge_rows[] = {8, huge};
    const comex_giov_x_t huge_segments{near_segments.data(), far_segments.data(), 2, huge};
    job.require(comex_put_x(source.data(), far, huge, target, everyone) == COMEX_FAILURE, "a huge put");
    job.require(comex_get_x(far, back.data(), huge, target, everyone) == COMEX_FAILURE, "a huge get");
    job.require(comex_puts_x(source.data(), &near_stride, far, &far_stride, huge_rows, 1, target, everyone) ==
                    COMEX_FAILURE,
                "huge rows");
    job.require(comex_putv_x(&huge_segments, huge, target, everyone) == COMEX_FAILURE, "a huge vector");
    job.require(comex_putv_x(&huge_segments, 1, target, everyone) == COMEX_FAILURE, "huge segments");
    comex_set_errors(COMEX_ERRORS_ABORT);
    job.done(comex_wait_all(everyone));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "signals");
  {
    Signals signals(job);
    job.check("values come with their data", [&] { signals.values_come_with_their_data(); });
    job.check("additions count what has come", [&] { signals.additions_count_what_has_come(); });
    job.check("refused signals write nothing", [&] { signals.refused_signals_write_nothing(); });
  }
  job.check("nothing to wait for is over at once", [&] { nothing_to_wait_for_is_over_at_once(job); });
  job.check("fences complete what was written", [&] { fences_complete_what_was_written(job); });
  job.check("wide calls move what they say", [&] { wide_calls_move_what_they_say(job); });
}
