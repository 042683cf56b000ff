// Read-modify-write: what each code does, and what all workers do at once to the same word. And sums of all
// workers by direct and remote routes at once. Usage: atomics [threads]
#include <array>

#include "mpi/job.h"

using namespace comex::testing;

namespace {

template <class T>
struct Codes;
template <>
struct Codes<int> {
  static constexpr int swap = COMEX_SWAP;
  static constexpr int add = COMEX_FETCH_AND_ADD;
  static constexpr int compare = COMEX_COMPARE_AND_SWAP;
  static constexpr int bits_and = COMEX_FETCH_AND_AND;
  static constexpr int bits_or = COMEX_FETCH_AND_OR;
  static constexpr int bits_xor = COMEX_FETCH_AND_XOR;
};
template <>
struct Codes<long> {
  static constexpr int swap = COMEX_SWAP_LONG;
  static constexpr int add = COMEX_FETCH_AND_ADD_LONG;
  static constexpr int compare = COMEX_COMPARE_AND_SWAP_LONG;
  static constexpr int bits_and = COMEX_FETCH_AND_AND_LONG;
  static constexpr int bits_or = COMEX_FETCH_AND_OR_LONG;
  static constexpr int bits_xor = COMEX_FETCH_AND_XOR_LONG;
};

template <class T>
class Words {
 public:
  explicit Words(const Job& job) : job_(job), words_(job, 64) {}

  // One word after another: the old value comes back, the new one is there, its neighbours stay.
  void each_code_does_what_it_says(bool blocking) {
    constexpr T high = sizeof(T) == 8 ? static_cast<T>(0x7123456789abcdefL) : static_cast<T>(0x71234567);
    for (int target = 0; target < job_.workers; ++target) {
      expect(target, blocking, Codes<T>::swap, high, T{-9}, 0, T{-9});
      expect(target, blocking, Codes<T>::add, high, T{0}, 41, high + 41);
      expect(target, blocking, Codes<T>::add, T{5}, T{0}, -12, T{-7});
      expect(target, blocking, Codes<T>::add, T{-1}, T{0}, 1, T{0});
      expect(target, blocking, Codes<T>::add, T{high}, T{0}, -2147483647 - 1,
             static_cast<T>(high + (-2147483647L - 1)));
      expect(target, blocking, Codes<T>::bits_and, high, T{0}, -16, high & T{-16});
      expect(target, blocking, Codes<T>::bits_and, T{-1}, T{0}, 0x0ff0, T{0x0ff0});
      expect(target, blocking, Codes<T>::bits_or, high, T{0}, 0x10, high | T{0x10});
      expect(target, blocking, Codes<T>::bits_or, T{0}, T{0}, -2, T{-2});
      expect(target, blocking, Codes<T>::bits_xor, high, T{0}, -1, high ^ T{-1});
      expect(target, blocking, Codes<T>::bits_xor, T{0x55}, T{0}, 0xff, T{0xaa});
    }
  }

  void compare_and_swap_swaps_only_what_it_expects(bool blocking) {
    for (int target = 0; target < job_.workers; ++target) {
      T* const word = words_.of(target) + 2 * job_.me + 1;
      for (const T value : {T{0}, T{-1}, T{77}, static_cast<T>(-2147483647 - 1)}) {
        set(word, value, target);
        const T other = value ^ T { 1 };
        std::array<T, 2> operands{other, T{1234}};
        rmw(blocking, Codes<T>::compare, operands.data(), word, 0, target);
        job_.equal(operands[0], value, "what a failed swap found");
        job_.equal(operands[1], T{1234}, "the desired value of a failed swap");
        job_.equal(get(word, target), value, "the word after a failed swap");
        operands = {value, T{-4321}};
        rmw(blocking, Codes<T>::compare, operands.data(), word, 0, target);
        job_.equal(operands[0], value, "what a swap found");
        job_.equal(operands[1], T{-4321}, "the desired value of a swap");
        job_.equal(get(word, target), T{-4321}, "the word after a swap");
      }
    }
  }

  // Tickets of all workers: each number once.
  void contended_counters_count(bool blocking) {
    constexpr int turns = 300;
    for (int target = 0; target < job_.workers; ++target) {
      T* const counter = words_.of(target) + 40;
      if (job_.me == target) *counter = T{-10};
      job_.done(comex_barrier(everyone));
      std::vector<T> mine(turns);
      for (T& ticket : mine) {
        job_.done(blocking ? comex_rmw(Codes<T>::add, &ticket, counter, 1, target, everyone)
                           : comex_nbrmw(Codes<T>::add, &ticket, counter, 1, target, everyone, nullptr));
      }
      job_.done(comex_wait_all(everyone));
      job_.require(std::is_sorted(mine.begin(), mine.end()), "one worker's tickets are out of order");
      std::vector<T> all(mine.size() * static_cast<std::size_t>(job_.workers));
      const int bytes = static_cast<int>(mine.size() * sizeof(T));
      MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, job_.comm);
      std::sort(all.begin(), all.end());
      for (std::size_t i = 0; i < all.size(); ++i) job_.equal(all[i], static_cast<T>(i) - 10, "a ticket");
    }
  }

  void contended_swaps_lose_nothing() {
    constexpr int turns = 200;
    const int target = job_.workers / 2;
    T* const place = words_.of(target) + 41;
    T carried = static_cast<T>(job_.me + 1);  // the place holds 0
    for (int turn = 0; turn < turns; ++turn) {
      job_.done(comex_rmw(Codes<T>::swap, &carried, place, 0, target, everyone));
    }
    job_.done(comex_barrier(everyone));
    T left = 0;
    job_.done(comex_get(place, &left, sizeof left, target, everyone));
    long sum = carried;
    long all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, job_.comm);
    job_.equal(all + left, long{job_.workers} * (job_.workers + 1) / 2, "the sum of what was passed round");
    job_.done(comex_barrier(everyone));
    if (job_.me == target) *place = 0;
  }

  void contended_compare_and_swaps_add_up() {
    constexpr int turns = 100;
    T* const word = words_.of(0) + 42;
    for (int turn = 0; turn < turns; ++turn) {
      std::array<T, 2> operands{T{0}, T{0}};
      for (T expected = 0;; expected = operands[0]) {
        operands = {expected, static_cast<T>(expected + 3)};
        job_.done(comex_rmw(Codes<T>::compare, operands.data(), word, 0, 0, everyone));
        if (operands[0] == expected) break;
      }
    }
    job_.done(comex_barrier(everyone));
    job_.equal(get(word, 0), static_cast<T>(3 * turns * job_.workers), "the sum");
  }

  // Every worker has a bit of its own in a shared word: it is as its owner left it.
  void contended_bits_belong_to_their_owners() {
    T* const word = words_.of(job_.workers - 1) + 43;
    const int bit = 1 << job_.me;
    for (int turn = 0; turn < 100; ++turn) {
      job_.require((change(Codes<T>::bits_or, word, bit) & bit) == 0, "a cleared bit was set");
      job_.require((change(Codes<T>::bits_and, word, ~bit) & bit) != 0, "a set bit was cleared");
      job_.require((change(Codes<T>::bits_xor, word, bit) & bit) == 0, "a cleared bit was set");
      job_.require((change(Codes<T>::bits_xor, word, bit) & bit) != 0, "a flipped bit was cleared");
    }
  }

 private:
  T change(int code, T* word, int operand) const {
    T old = 0;
    job_.done(comex_rmw(code, &old, word, operand, job_.workers - 1, everyone));
    return old;
  }
  void rmw(bool blocking, int code, void* ploc, T* prem, int extra, int target) const {
    if (blocking) return job_.done(comex_rmw(code, ploc, prem, extra, target, everyone));
    comex_request_t handle = 0;
    job_.done(comex_nbrmw(code, ploc, prem, extra, target, everyone, &handle));
    job_.done(comex_wait(&handle));
  }
  void set(T* word, T value, int target) const {
    job_.done(comex_put(&value, word, sizeof value, target, everyone));
  }
  T get(T* word, int target) const {
    T value = 0;
    job_.done(comex_get(word, &value, sizeof value, target, everyone));
    return value;
  }
  void expect(int target, bool blocking, int code, T before, T near, int extra, T after) const {
    T* const word = words_.of(target) + 3 * job_.me + 1;
    const std::array<T, 3> start{T{11}, before, T{13}};
    job_.done(comex_put(const_cast<T*>(start.data()), word - 1, sizeof start, target, everyone));
    rmw(blocking, code, &near, word, extra, target);
    job_.equal(near, before, "the old value");
    job_.equal(get(word, target), after, "the new value");
    job_.equal(get(word - 1, target), T{11}, "the word before");
    job_.equal(get(word + 1, target), T{13}, "the word behind");
  }

  const Job& job_;
  Everywhere<T> words_;
};

template <class T>
void check_words(Job& job, const char* type) {
  Words<T> words(job);
  const auto check = [&](const char* sentence, auto&& body) {
    job.check((std::string(type) + ": " + sentence).c_str(), body);
  };
  for (const bool blocking : {true, false}) {
    check("each code does what it says", [&] { words.each_code_does_what_it_says(blocking); });
    check("compare-and-swap swaps only what it expects",
          [&] { words.compare_and_swap_swaps_only_what_it_expects(blocking); });
    check("contended counters count", [&] { words.contended_counters_count(blocking); });
  }
  check("contended swaps lose nothing", [&] { words.contended_swaps_lose_nothing(); });
  check("contended compare-and-swaps add up", [&] { words.contended_compare_and_swaps_add_up(); });
  check("contended bits belong to their owners", [&] { words.contended_bits_belong_to_their_owners(); });
}

// Types whose elements are `parts` numbers T.
template <class T, int parts>
void sums_add_up(Job& job, int code) {
  constexpr std::size_t numbers = std::size_t{5000} * parts;
  constexpr int rounds = 6;
  Everywhere<T> sums(job, numbers + 1);  // one in front: elements lie across locked blocks
  std::vector<T> ones(numbers, T{1});
  T scale[2] = {T{2}, T{0}};
  job.check("sums of all by all routes add up", [&] {
    comex_request_t handle = 0;
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < job.workers; ++i) {
        const int target = (job.me + i) % job.workers;
        T* const far = sums.of(target) + 1;
        constexpr int half = static_cast<int>(numbers * sizeof(T) / 2);
        constexpr int small = 8 * parts * static_cast<int>(sizeof(T));
        job.done(comex_nbacc(code, scale, ones.data(), far, half, target, everyone, &handle));
        job.done(comex_acc(code, scale, ones.data(), far + numbers / 2, half, target, everyone));
        job.done(comex_nbacc(code, scale, ones.data(), far, small, target, everyone, nullptr));
        job.done(comex_wait(&handle));
      }
    }
    job.done(comex_wait_all(everyone));
  });
  for (std::size_t at = 0; at < numbers; ++at) {
    const int times = at < std::size_t{8} * parts ? 2 : 1;
    job.equal(sums.mine()[at + 1], static_cast<T>(2 * times * rounds * job.workers), "a sum");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "atomics");
  check_words<int>(job, "int");
  check_words<long>(job, "long");
  sums_add_up<int, 1>(job, COMEX_ACC_INT);
  sums_add_up<long, 1>(job, COMEX_ACC_LNG);
  sums_add_up<float, 1>(job, COMEX_ACC_FLT);
  sums_add_up<double, 1>(job, COMEX_ACC_DBL);
  sums_add_up<float, 2>(job, COMEX_ACC_CPL);  // 2 * (1 + i)
  sums_add_up<double, 2>(job, COMEX_ACC_DCP);
}
