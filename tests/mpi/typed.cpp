// Atomic operations on words of every type, and accumulates with every operation: what each one does to every
// target, and what all workers do at once. Usage: typed [threads]
#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <limits>

#include "mpi/job.h"
#include "mpi/typed_accumulates.h"

using namespace comex::testing;

namespace {

template <class T>
inline constexpr int type_of = 0;
template <>
inline constexpr int type_of<std::int32_t> = COMEX_TYPE_INT32;
template <>
inline constexpr int type_of<std::int64_t> = COMEX_TYPE_INT64;
template <>
inline constexpr int type_of<std::uint32_t> = COMEX_TYPE_UINT32;
template <>
inline constexpr int type_of<std::uint64_t> = COMEX_TYPE_UINT64;
template <>
inline constexpr int type_of<float> = COMEX_TYPE_FLOAT;
template <>
inline constexpr int type_of<double> = COMEX_TYPE_DOUBLE;

template <class T>
struct Case {
  int op;
  T before;
  T operand;
  T after;
  T compare{};
};

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
class TypedWords {
 public:
  explicit TypedWords(Job& job) : job_(job), words_(job, 64) {}

  void run(const char* type) {
    const auto check = [&](const char* sentence, auto&& body) {
      job_.check((std::string(type) + ": " + sentence).c_str(), body);
    };
    check("each operation does what it says", [&] { each_operation_does_what_it_says(); });
    check("additions of all add up", [&] { additions_of_all_add_up(); });
    check("extremes of all are left", [&] { extremes_of_all_are_left(); });
  }

 private:
  enum class Mode { blocking, handle, implicit };

  std::vector<Case<T>> cases() const {
    using limits = std::numeric_limits<T>;
    const T low = limits::lowest();
    const T high = limits::max();
    std::vector<Case<T>> all = {
        {COMEX_ATOMIC_SET, T{7}, high, high},
        {COMEX_ATOMIC_FETCH, high, T{3}, high},
        {COMEX_ATOMIC_SWAP, high, low, low},
        {COMEX_ATOMIC_COMPARE_AND_SWAP, high, T{5}, T{5}, high},
        {COMEX_ATOMIC_COMPARE_AND_SWAP, high, T{5}, high, low},
        {COMEX_ATOMIC_ADD, T{40}, T{2}, T{42}},
        {COMEX_ATOMIC_MIN, low, high, low},
        {COMEX_ATOMIC_MIN, high, low, low},
        {COMEX_ATOMIC_MAX, low, high, high},
        {COMEX_ATOMIC_MAX, high, low, high},
    };
    if constexpr (limits::is_integer) {
      all.push_back({COMEX_ATOMIC_ADD, high, T{1}, low});  // it wraps
      const T bits = static_cast<T>(0x55667788);
      all.push_back({COMEX_ATOMIC_AND, bits, T{0x0ff0}, static_cast<T>(bits & T{0x0ff0})});
      all.push_back({COMEX_ATOMIC_OR, bits, T{0x0ff0}, static_cast<T>(bits | T{0x0ff0})});
      all.push_back({COMEX_ATOMIC_XOR, bits, static_cast<T>(~T{0}), static_cast<T>(~bits)});
    } else {
      const T nan = limits::quiet_NaN();
      const T minus_zero = -T{0};
      all.push_back({COMEX_ATOMIC_ADD, T{0.5}, T{-2.25}, T{-1.75}});
      for (const int op : {COMEX_ATOMIC_MIN, COMEX_ATOMIC_MAX}) {
        all.push_back({op, nan, T{1}, T{1}});
        all.push_back({op, T{1}, nan, T{1}});
        all.push_back({op, T{0}, minus_zero, T{0}});
        all.push_back({op, minus_zero, T{0}, minus_zero});
      }
      all.push_back({COMEX_ATOMIC_COMPARE_AND_SWAP, nan, T{5}, T{5}, nan});
      all.push_back({COMEX_ATOMIC_COMPARE_AND_SWAP, T{0}, T{5}, T{0}, minus_zero});
    }
    return all;
  }

  void each_operation_does_what_it_says() {
    const std::vector<Case<T>> all = cases();
    for (int target = 0; target < job_.workers; ++target) {
      for (const Mode mode : {Mode::blocking, Mode::handle, Mode::implicit}) {
        for (const bool fetches : {true, false}) {
          for (const Case<T>& each : all) expect(each, target, mode, fetches);
        }
      }
    }
  }

  void expect(const Case<T>& each, int target, Mode mode, bool fetches) {
    const bool needs_fetched = each.op == COMEX_ATOMIC_FETCH || each.op == COMEX_ATOMIC_SWAP;
    if (needs_fetched && !fetches) return;
    T* const word = words_.of(target) + 3 * job_.me + 1;
    const std::array<T, 3> start{T{11}, each.before, T{13}};
    job_.done(comex_put_x(start.data(), word - 1, sizeof start, target, everyone));
    T fetched{99};
    T operand = each.operand;
    T compare = each.compare;
    call(mode, each.op, fetches ? &fetched : nullptr, &operand, &compare, word, target);
    const std::string what = "operation " + std::to_string(each.op) + ": ";
    job_.require(!fetches || same_bits(fetched, each.before), (what + "the old value").c_str());
    job_.require(fetches || same_bits(fetched, T{99}), (what + "nothing was to be fetched").c_str());
    std::array<T, 3> left{};
    job_.done(comex_get_x(word - 1, left.data(), sizeof left, target, everyone));
    job_.require(same_bits(left[1], each.after), (what + "the new value").c_str());
    job_.require(left[0] == T{11} && left[2] == T{13}, (what + "the words beside it").c_str());
  }

  // The operands may be reused when a non-blocking call returns.
  void call(Mode mode, int op, T* fetched, T* operand, T* compare, T* word, int target) const {
    if (mode == Mode::blocking)
      return job_.done(comex_atomic(op, type_of<T>, fetched, operand, compare, word, target, everyone));
    comex_request_t handle = 0;
    job_.done(comex_nbatomic(op, type_of<T>, fetched, operand, compare, word, target, everyone,
                             mode == Mode::handle ? &handle : nullptr));
    *operand = *compare = T{77};
    job_.done(mode == Mode::handle ? comex_wait(&handle) : comex_wait_proc(target, everyone));
  }

  // Through rmw as well, where it knows the type.
  void additions_of_all_add_up() {
    constexpr int turns = 100;
    for (int target = 0; target < job_.workers; ++target) {
      T* const word = words_.of(target) + 40;
      const T three{3};
      for (int turn = 0; turn < turns; ++turn) {
        T old{};
        job_.done(
            comex_atomic(COMEX_ATOMIC_ADD, type_of<T>, nullptr, &three, nullptr, word, target, everyone));
        job_.done(comex_nbatomic(COMEX_ATOMIC_ADD, type_of<T>, turn % 2 == 0 ? &old : nullptr, &three,
                                 nullptr, word, target, everyone, nullptr));
        if constexpr (std::is_same_v<T, int>)
          job_.done(comex_rmw(COMEX_FETCH_AND_ADD, &old, word, 3, target, everyone));
        if constexpr (std::is_same_v<T, long>)
          job_.done(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &old, word, 3, target, everyone, nullptr));
        if (turn % 10 == 9) job_.done(comex_wait_all(everyone));
        job_.done(comex_wait_proc(target, everyone));  // `old` dies
      }
    }
    job_.done(comex_barrier(everyone));
    constexpr int calls = std::is_same_v<T, int> || std::is_same_v<T, long> ? 3 : 2;
    job_.equal(words_.mine()[40], static_cast<T>(3 * calls * turns * job_.workers), "a sum");
  }

  void extremes_of_all_are_left() {
    for (int target = 0; target < job_.workers; ++target) {
      T* const least = words_.of(target) + 41;
      T* const most = words_.of(target) + 42;
      for (int turn = 0; turn <= 20; ++turn) {
        const T value = static_cast<T>(1000 + 21 * job_.me + turn);
        if (turn == 0 && job_.me == target) {
          words_.mine()[41] = std::numeric_limits<T>::max();
          words_.mine()[42] = std::numeric_limits<T>::lowest();
        }
        if (turn == 0) job_.done(comex_barrier(everyone));
        job_.done(
            comex_atomic(COMEX_ATOMIC_MIN, type_of<T>, nullptr, &value, nullptr, least, target, everyone));
        job_.done(comex_nbatomic(COMEX_ATOMIC_MAX, type_of<T>, nullptr, &value, nullptr, most, target,
                                 everyone, nullptr));
      }
      job_.done(comex_wait_proc(target, everyone));
    }
    job_.done(comex_barrier(everyone));
    job_.equal(words_.mine()[41], T{1000}, "the least");
    job_.equal(words_.mine()[42], static_cast<T>(1000 + 21 * job_.workers - 1), "the most");
  }

  Job& job_;
  Everywhere<T> words_;
};

// Each is told by the call, and changes nothing.
void wrong_arguments_are_refused(Job& job) {
  job.check("wrong arguments are refused", [&] {
    Everywhere<double> words(job, 4);
    double value = 3;
    double old = 5;
    for (int target = 0; target < job.workers; ++target) {
      double* const word = words.of(target);
      comex_set_errors(COMEX_ERRORS_RETURN);
      const auto refuses = [&](int op, int type, void* fetched, const void* operand, void* at) {
        comex_request_t handle = 0;
        job.require(comex_atomic(op, type, fetched, operand, nullptr, at, target, everyone) == COMEX_FAILURE,
                    "a wrong argument was taken");
        job.require(comex_nbatomic(op, type, fetched, operand, nullptr, at, target, everyone, &handle) ==
                        COMEX_FAILURE,
                    "a wrong argument was taken");
      };
      refuses(COMEX_ATOMIC_XOR + 1, COMEX_TYPE_INT64, &old, &value, word);
      refuses(COMEX_SWAP, COMEX_TYPE_INT64, &old, &value, word);
      refuses(COMEX_ATOMIC_ADD, COMEX_TYPE_DOUBLE + 1, &old, &value, word);
      refuses(COMEX_ATOMIC_ADD, COMEX_ACC_DBL, &old, &value, word);
      for (const int op : {COMEX_ATOMIC_AND, COMEX_ATOMIC_OR, COMEX_ATOMIC_XOR}) {
        refuses(op, COMEX_TYPE_DOUBLE, &old, &value, word);
        refuses(op, COMEX_TYPE_FLOAT, &old, &value, word);
      }
      refuses(COMEX_ATOMIC_FETCH, COMEX_TYPE_DOUBLE, nullptr, &value, word);
      refuses(COMEX_ATOMIC_SWAP, COMEX_TYPE_DOUBLE, nullptr, &value, word);
      refuses(COMEX_ATOMIC_ADD, COMEX_TYPE_DOUBLE, &old, nullptr, word);
      refuses(COMEX_ATOMIC_COMPARE_AND_SWAP, COMEX_TYPE_DOUBLE, &old, &value, word);
      refuses(COMEX_ATOMIC_ADD, COMEX_TYPE_DOUBLE, &old, &value, nullptr);
      refuses(COMEX_ATOMIC_ADD, COMEX_TYPE_DOUBLE, &old, &value, reinterpret_cast<char*>(word) + 4);
      const auto refuses_accumulate = [&](int op, int type) {
        job.require(comex_acc_op(op, type, &value, word, sizeof value, target, everyone) == COMEX_FAILURE,
                    "a wrong accumulate was taken");
      };
      refuses_accumulate(COMEX_OP_XOR + 1, COMEX_ACC_LNG);
      refuses_accumulate(COMEX_OP_SUM, COMEX_TYPE_DOUBLE);
      refuses_accumulate(COMEX_OP_AND, COMEX_ACC_DBL);
      refuses_accumulate(COMEX_OP_XOR, COMEX_ACC_FLT);
      refuses_accumulate(COMEX_OP_MIN, COMEX_ACC_CPL);
      refuses_accumulate(COMEX_OP_MAX, COMEX_ACC_DCP);
      comex_set_errors(COMEX_ERRORS_ABORT);
    }
    job.done(comex_barrier(everyone));
    job.equal(old, 5.0, "what a refused call was to fetch");
    job.equal(words.mine()[0], 0.0, "what a refused call was to change");
  });
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "typed");
  TypedWords<std::int32_t>(job).run("int32");
  TypedWords<std::uint32_t>(job).run("uint32");
  TypedWords<std::int64_t>(job).run("int64");
  TypedWords<std::uint64_t>(job).run("uint64");
  TypedWords<float>(job).run("float");
  TypedWords<double>(job).run("double");
  accumulate_with_every_operation(job);
  wrong_arguments_are_refused(job);
}
