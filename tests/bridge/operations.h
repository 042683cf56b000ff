// Every operation on every member of a group, one's own included, and what must have come of it.
#pragma once

#include <cstring>
#include <vector>

#include "bridge/halves.h"

namespace comex::testing {

// Memory of all members of a group, allocated and freed over it. In an inter-group `at` is that of the other
// side.
class Shared {
 public:
  Shared(const Halves& halves, comex_group_t group, std::size_t bytes, std::size_t targets)
      : halves_(halves), group_(group), at(targets) {
    halves_.require(comex_malloc(at.data(), bytes, group) == COMEX_SUCCESS, "malloc");
    for (void* address : at) halves_.require(address != nullptr, "an address of each");
  }
  ~Shared() { halves_.require(comex_free(at[0], group_) == COMEX_SUCCESS, "free"); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

 private:
  const Halves& halves_;
  comex_group_t group_;

 public:
  std::vector<void*> at;
};

// `origins` processes act on `targets`; the caller is origin `me`. Each has a part of every target's memory,
// of which there are `parts`: as many as the larger side of an inter-group has members.
struct Scene {
  const Halves& halves;
  comex_group_t group;
  int origins;
  int targets;
  int parts;
  int me;
};

inline double* doubles(void* memory, std::size_t index) {
  return static_cast<double*>(memory) + index;
}

inline void contiguous_all(const Scene& scene) {
  constexpr std::size_t count = 20'000;  // in chunks, where messages carry them
  const Shared memory(scene.halves, scene.group, static_cast<std::size_t>(scene.parts) * count * 8,
                      static_cast<std::size_t>(scene.targets));
  const std::size_t part = static_cast<std::size_t>(scene.me) * count;
  std::vector<double> source(count);
  std::vector<double> back(count);
  for (int target = 0; target < scene.targets; ++target) {
    void* const there = memory.at[static_cast<std::size_t>(target)];
    for (const std::size_t some : {std::size_t{1}, std::size_t{40}, count}) {
      for (std::size_t i = 0; i < some; ++i) source[i] = scene.me * 1000.0 + target + static_cast<double>(i);
      const int bytes = static_cast<int>(some * 8);
      comex_put(source.data(), doubles(there, part), bytes, target, scene.group);
      comex_get(doubles(there, part), back.data(), bytes, target, scene.group);
      scene.halves.require(std::memcmp(back.data(), source.data(), some * 8) == 0, "a get sees the put");
      double two = 2.0;
      comex_acc(COMEX_ACC_DBL, &two, source.data(), doubles(there, part), bytes, target, scene.group);
      comex_request_t handles[2];
      comex_nbacc(COMEX_ACC_DBL, &two, source.data(), doubles(there, part), bytes, target, scene.group,
                  &handles[0]);
      comex_nbget(doubles(there, part), back.data(), bytes, target, scene.group, &handles[1]);
      comex_wait(&handles[0]);
      comex_wait(&handles[1]);
      for (std::size_t i = 0; i < some; ++i) {
        scene.halves.require(back[i] == 5.0 * source[i], "a get sees both accumulates");
      }
    }
  }
}

inline void strided_all(const Scene& scene) {
  constexpr int rows = 30;
  constexpr int row_doubles = 50;  // of which 20 are touched
  constexpr std::size_t count = rows * row_doubles;
  const Shared memory(scene.halves, scene.group, static_cast<std::size_t>(scene.parts) * count * 8,
                      static_cast<std::size_t>(scene.targets));
  int near_stride = 20 * 8;
  int far_stride = row_doubles * 8;
  int counts[2] = {20 * 8, rows};
  std::vector<double> source(20 * rows);
  std::vector<double> back(source.size());
  std::iota(source.begin(), source.end(), scene.me * 10'000.0);
  for (int target = 0; target < scene.targets; ++target) {
    double* const there =
        doubles(memory.at[static_cast<std::size_t>(target)], static_cast<std::size_t>(scene.me) * count);
    comex_request_t handle;
    comex_nbputs(source.data(), &near_stride, there, &far_stride, counts, 1, target, scene.group, &handle);
    double three = 3.0;
    comex_accs(COMEX_ACC_DBL, &three, source.data(), &near_stride, there, &far_stride, counts, 1, target,
               scene.group);
    comex_gets(there, &far_stride, back.data(), &near_stride, counts, 1, target, scene.group);
    comex_wait(&handle);
    for (std::size_t i = 0; i < source.size(); ++i)
      scene.halves.require(back[i] == 4.0 * source[i], "strided");
  }
}

inline void vector_all(const Scene& scene) {
  constexpr std::size_t segments = 60;
  for (const std::size_t segment : {std::size_t{2}, std::size_t{100}, std::size_t{400}}) {
    const Shared memory(scene.halves, scene.group,
                        static_cast<std::size_t>(scene.parts) * segments * segment * 16,
                        static_cast<std::size_t>(scene.targets));
    std::vector<double> source(segments * segment);
    std::vector<double> back(source.size());
    std::iota(source.begin(), source.end(), scene.me * 5'000.0);
    for (int target = 0; target < scene.targets; ++target) {
      std::vector<void*> near(segments);
      std::vector<void*> far(segments);
      std::vector<void*> results(segments);
      for (std::size_t i = 0; i < segments; ++i) {
        near[i] = doubles(source.data(), i * segment);
        results[i] = doubles(back.data(), i * segment);
        far[i] = doubles(memory.at[static_cast<std::size_t>(target)],
                         (static_cast<std::size_t>(scene.me) * segments + i) * 2 * segment);
      }
      const int bytes = static_cast<int>(segment * 8);
      comex_giov_t put{near.data(), far.data(), segments, bytes};
      comex_giov_t get{far.data(), results.data(), segments, bytes};
      double one = 1.0;
      comex_putv(&put, 1, target, scene.group);
      comex_accv(COMEX_ACC_DBL, &one, &put, 1, target, scene.group);
      comex_getv(&get, 1, target, scene.group);
      for (std::size_t i = 0; i < source.size(); ++i)
        scene.halves.require(back[i] == 2.0 * source[i], "vector");
    }
  }
}

// All count in one place, all add to one array; nothing may be lost, whichever way it came.
inline void atomics_all(const Scene& scene) {
  constexpr int turns = 50;
  constexpr std::size_t shared_doubles = 3000;
  const Shared memory(scene.halves, scene.group, 64 + shared_doubles * 8,
                      static_cast<std::size_t>(scene.targets));
  std::vector<double> zeros(8 + shared_doubles);
  for (int target = scene.me; target < scene.targets; target += scene.origins) {
    comex_put(zeros.data(), memory.at[static_cast<std::size_t>(target)], static_cast<int>(zeros.size() * 8),
              target, scene.group);
  }
  comex_barrier(scene.group);
  std::vector<double> ones(shared_doubles, 1.0);
  double one = 1.0;
  const double half = 0.5;
  const double number = scene.me + 1.0;
  for (int target = 0; target < scene.targets; ++target) {
    char* const there = static_cast<char*>(memory.at[static_cast<std::size_t>(target)]);
    for (int turn = 0; turn < turns; ++turn) {
      long old = -1;
      comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, there, 1, target, scene.group);
      scene.halves.require(old >= 0 && old < turns * scene.origins, "a ticket");
      comex_nbatomic(COMEX_ATOMIC_ADD, COMEX_TYPE_DOUBLE, nullptr, &half, nullptr, there + 8, target,
                     scene.group, nullptr);
      comex_nbput_signal_add(nullptr, nullptr, 0, reinterpret_cast<long*>(there + 16), 2, target, scene.group,
                             nullptr);
    }
    comex_acc_op(COMEX_OP_MAX, COMEX_ACC_DBL, &number, there + 24, sizeof number, target, scene.group);
    comex_nbacc(COMEX_ACC_DBL, &one, ones.data(), there + 64, shared_doubles * 8, target, scene.group,
                nullptr);
    comex_acc(COMEX_ACC_DBL, &one, ones.data(), there + 64, shared_doubles * 8, target, scene.group);
    comex_wait_proc(target, scene.group);
  }
  comex_barrier(scene.group);
  for (int target = 0; target < scene.targets; ++target) {
    std::vector<double> sums(8 + shared_doubles);
    comex_get(memory.at[static_cast<std::size_t>(target)], sums.data(), static_cast<int>(sums.size() * 8),
              target, scene.group);
    long counter = 0;
    std::memcpy(&counter, sums.data(), sizeof counter);
    scene.halves.require(counter == turns * scene.origins, "every ticket was given once");
    std::memcpy(&counter, sums.data() + 2, sizeof counter);
    scene.halves.require(counter == 2L * turns * scene.origins, "every signal counted");
    scene.halves.require(sums[1] == half * turns * scene.origins, "every addition of a real counted");
    scene.halves.require(sums[3] == scene.origins, "the greatest was left");
    for (std::size_t i = 0; i < shared_doubles; ++i) {
      scene.halves.require(sums[8 + i] == 2.0 * scene.origins, "every accumulate counted");
    }
  }
  comex_barrier(scene.group);
}

}  // namespace comex::testing
