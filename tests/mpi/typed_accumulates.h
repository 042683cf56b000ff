// Accumulates of every type with every operation, in every layout, blocking and not, against a plain loop.
#pragma once

#include <complex>
#include <functional>

#include "mpi/job.h"

namespace comex::testing {

template <class T>
class Accumulates {
 public:
  using Definition = std::function<T(T, T)>;

  Accumulates(Job& job, int type) : job_(job), type_(type), memory_(job, elements * slots(job)) {}

  // Every worker has a slot of its own at every target, so that its order decides; then all share one.
  void check(int op, const Definition& what) {
    job_.check(("type " + std::to_string(type_) + ", operation " + std::to_string(op)).c_str(), [&] {
      for (int target = 0; target < job_.workers; ++target) {
        for (int form = 0; form < forms; ++form) apply(op, what, target, form);
      }
      if (op != COMEX_OP_REPLACE) all_at_once(op, what);
    });
  }

 private:
  static constexpr std::size_t elements = 3000;
  static constexpr int forms = 6;
  static std::size_t slots(const Job& job) { return static_cast<std::size_t>(job.workers) + 1; }

  static T number(int value) {
    if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<T>(value);
    } else {
      using Part = typename T::value_type;
      return {static_cast<Part>(value), static_cast<Part>(value % 3)};
    }
  }
  static T start(std::size_t i) { return number(static_cast<int>(i % 13) - 6); }
  static T source(std::size_t i) { return number(static_cast<int>(i % 7) - 2); }

  // The whole of a slot, or every second run of 4 of it, or 3 elements of each 5.
  static bool is_meant(int form, std::size_t i) {
    const int layout = form / 2;
    return layout == 0 || (layout == 1 ? i / 4 % 2 == 0 : i % 5 < 3);
  }

  void apply(int op, const Definition& what, int target, int form) {
    T* const far = memory_.of(target) + static_cast<std::size_t>(job_.me) * elements;
    std::vector<T> near(elements);
    std::vector<T> expected(elements);
    for (std::size_t i = 0; i < elements; ++i) {
      expected[i] = start(i);
      near[i] = source(i);
    }
    job_.done(comex_put_x(expected.data(), far, elements * sizeof(T), target, everyone));
    for (std::size_t i = 0; i < elements; ++i)
      if (is_meant(form, i)) expected[i] = what(expected[i], near[i]);
    comex_request_t handle = 0;
    call(op, near.data(), far, target, form, &handle);
    if (form % 2 != 0) job_.done(comex_wait(&handle));
    job_.done(comex_fence_proc(target, everyone));
    std::vector<T> left(elements);
    job_.done(comex_get_x(far, left.data(), elements * sizeof(T), target, everyone));
    for (std::size_t i = 0; i < elements; ++i)
      job_.require(left[i] == expected[i],
                   ("form " + std::to_string(form) + ", element " + std::to_string(i)).c_str());
  }

  void call(int op, T* near, T* far, int target, int form, comex_request_t* handle) {
    constexpr ptrdiff_t stride = 8 * sizeof(T);
    constexpr size_t counts[] = {4 * sizeof(T), elements / 8};
    std::vector<void*> nears;
    std::vector<void*> fars;
    for (std::size_t i = 0; i < elements; i += 5) {
      nears.push_back(near + i);
      fars.push_back(far + i);
    }
    const comex_giov_x_t segments{nears.data(), fars.data(), nears.size(), 3 * sizeof(T)};
    constexpr std::size_t bytes = elements * sizeof(T);
    switch (form) {
      case 0:  // a small one, and the rest
        job_.done(comex_acc_op(op, type_, near, far, 3 * sizeof(T), target, everyone));
        return job_.done(comex_acc_op(op, type_, near + 3, far + 3, bytes - 3 * sizeof(T), target, everyone));
      case 1:
        job_.done(comex_nbacc_op(op, type_, near, far, sizeof(T), target, everyone, nullptr));
        return job_.done(
            comex_nbacc_op(op, type_, near + 1, far + 1, bytes - sizeof(T), target, everyone, handle));
      case 2:
        return job_.done(comex_accs_op(op, type_, near, &stride, far, &stride, counts, 1, target, everyone));
      case 3:
        return job_.done(
            comex_nbaccs_op(op, type_, near, &stride, far, &stride, counts, 1, target, everyone, handle));
      case 4:
        return job_.done(comex_accv_op(op, type_, &segments, 1, target, everyone));
      default:
        return job_.done(comex_nbaccv_op(op, type_, &segments, 1, target, everyone, handle));
    }
  }

  // All operations but the replacement commute, and their values stay exact.
  void all_at_once(int op, const Definition& what) {
    const std::size_t shared = static_cast<std::size_t>(job_.workers) * elements;
    for (std::size_t i = 0; i < elements; ++i) memory_.mine()[shared + i] = number(1);
    job_.done(comex_barrier(everyone));
    std::vector<T> near(elements, number(job_.me % 2 == 0 ? 2 : 1));
    for (int target = 0; target < job_.workers; ++target) {
      T* const far = memory_.of(target) + shared;
      job_.done(comex_acc_op(op, type_, near.data(), far, 5 * sizeof(T), target, everyone));
      job_.done(comex_nbacc_op(op, type_, near.data() + 5, far + 5, (elements - 5) * sizeof(T), target,
                               everyone, nullptr));
    }
    job_.done(comex_wait_all(everyone));
    job_.done(comex_barrier(everyone));
    T expected = number(1);
    for (int worker = 0; worker < job_.workers; ++worker)
      expected = what(expected, number(worker % 2 == 0 ? 2 : 1));
    for (std::size_t i = 0; i < elements; ++i)
      job_.require(memory_.mine()[shared + i] == expected, "what all have accumulated");
    job_.done(comex_barrier(everyone));
  }

  Job& job_;
  const int type_;
  Everywhere<T> memory_;
};

template <class T>
void accumulate_numbers(Accumulates<T>& of) {
  of.check(COMEX_OP_SUM, [](T far, T near) { return far + near; });
  of.check(COMEX_OP_PROD, [](T far, T near) { return far * near; });
  of.check(COMEX_OP_REPLACE, [](T, T near) { return near; });
}
template <class T>
void accumulate_ordered(Job& job, int type) {
  Accumulates<T> of(job, type);
  accumulate_numbers(of);
  of.check(COMEX_OP_MIN, [](T far, T near) { return near < far ? near : far; });
  of.check(COMEX_OP_MAX, [](T far, T near) { return near > far ? near : far; });
  if constexpr (std::is_integral_v<T>) {
    of.check(COMEX_OP_AND, [](T far, T near) { return far & near; });
    of.check(COMEX_OP_OR, [](T far, T near) { return far | near; });
    of.check(COMEX_OP_XOR, [](T far, T near) { return far ^ near; });
  }
}
template <class T>
void accumulate_complex(Job& job, int type) {
  Accumulates<T> of(job, type);
  accumulate_numbers(of);
}

inline void accumulate_with_every_operation(Job& job) {
  accumulate_ordered<int>(job, COMEX_ACC_INT);
  accumulate_ordered<long>(job, COMEX_ACC_LNG);
  accumulate_ordered<float>(job, COMEX_ACC_FLT);
  accumulate_ordered<double>(job, COMEX_ACC_DBL);
  accumulate_complex<std::complex<float>>(job, COMEX_ACC_CPL);
  accumulate_complex<std::complex<double>>(job, COMEX_ACC_DCP);
}

}  // namespace comex::testing
