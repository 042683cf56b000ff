#include <atomic>
#include <cstring>
#include <memory>

#include "rows.h"

namespace comex::bench {
namespace {

constexpr int usual_operations = 1 << 16;

using Words = std::atomic_ref<long>;
using Reals = std::atomic_ref<double>;

// Runs on worker 0; the others wait in the barrier behind each round.
template <class Work>
std::function<double()> by_first(const Rig& rig, int operations, Work work) {
  return [&rig, operations, work]() mutable {
    return rig.is_first() ? time_each(rig.operations(operations), work) : 0.0;
  };
}

// Where the work of a row goes: all random words in turn, or one word again and again. A power of two.
struct Where {
  const std::vector<Spot>* spots;
  const Spot& operator[](int i) const { return (*spots)[static_cast<std::size_t>(i) & (spots->size() - 1)]; }
};

long read_word(const Spot& spot) {
  long word = 0;
  comex_get(spot.at, &word, sizeof word, spot.proc, COMEX_GROUP_WORLD);
  return word;
}

Row put_row(const Rig& rig, const char* name, Where where) {
  auto base = std::make_shared<long>(0);
  const auto value_of = [base](int i) { return *base + i; };
  Row row{.name = name, .contenders = {}, .verify = {}};
  row.contenders.push_back({"comex_put",
                            by_first(rig, usual_operations,
                                     [=](int i) {
                                       if (i == 0) *base += 1000003;
                                       long value = value_of(i);
                                       comex_put(&value, where[i].at, sizeof value, where[i].proc,
                                                 COMEX_GROUP_WORLD);
                                     }),
                            {}});
  row.verify = [=, &rig] {
    if (!rig.is_first()) return true;
    const int operations = rig.operations(usual_operations);
    const int words = static_cast<int>(where.spots->size());
    for (int i = std::max(0, operations - words); i < operations; ++i) {
      if (read_word(where[i]) != value_of(i)) return false;
    }
    return true;
  };
  row.contenders.push_back(
      {"store",
       by_first(
           rig, usual_operations,
           [=](int i) { Words(*reinterpret_cast<long*>(where[i].at)).store(i, std::memory_order_relaxed); }),
       {}});
  row.contenders.push_back({"memcpy",
                            by_first(rig, usual_operations,
                                     [=](int i) {
                                       long value = i;
                                       std::size_t bytes = sizeof value;
                                       asm("" : "+r"(bytes));  // a call, as for any size
                                       std::memcpy(where[i].at, &value, bytes);
                                     }),
                            {}});
  return row;
}

Row get_row(const Rig& rig, const char* name, Where where) {
  // What lies there: written before, by the owner's neighbour worker 0.
  const auto prepare = [=, &rig] {
    const int words = static_cast<int>(where.spots->size());
    for (int i = 0; rig.is_first() && i < words; ++i) {
      Words(*reinterpret_cast<long*>(where[i].at)).store(7 * i + 1, std::memory_order_relaxed);
    }
  };
  auto sum = std::make_shared<long>(0);
  auto expected = std::make_shared<long>(0);
  Row row{.name = name, .contenders = {}, .verify = {}};
  row.contenders.push_back({"comex_get",
                            [=, &rig] {
                              prepare();
                              *sum = 0;
                              if (!rig.is_first()) return 0.0;
                              return time_each(rig.operations(usual_operations), [&](int i) {
                                long value = 0;
                                comex_get(where[i].at, &value, sizeof value, where[i].proc,
                                          COMEX_GROUP_WORLD);
                                *sum += value;
                              });
                            },
                            {}});
  row.verify = [=, &rig] {
    if (!rig.is_first()) return true;
    const int words = static_cast<int>(where.spots->size());
    *expected = 0;
    for (int i = 0; i < rig.operations(usual_operations); ++i) *expected += 7 * (i % words) + 1;
    return *sum == *expected;
  };
  row.contenders.push_back(
      {"load",
       by_first(rig, usual_operations,
                [=](int i) {
                  keep(Words(*reinterpret_cast<long*>(where[i].at)).load(std::memory_order_relaxed));
                }),
       {}});
  row.contenders.push_back({"memcpy",
                            by_first(rig, usual_operations,
                                     [=](int i) {
                                       long value = 0;
                                       std::size_t bytes = sizeof value;
                                       asm("" : "+r"(bytes));
                                       std::memcpy(&value, where[i].at, bytes);
                                       keep(value);
                                     }),
                            {}});
  return row;
}

// All the words are zeroed, then each operation adds one: the sum tells whether none was lost.
template <class T, class Ours, class Floor>
Row adding_row(const Rig& rig, const char* name, const char* ours_name, const char* floor_name, Where where,
               Ours ours, Floor floor) {
  Row row{.name = name, .contenders = {}, .verify = {}};
  row.contenders.push_back({ours_name,
                            [=, &rig] {
                              if (!rig.is_first()) return 0.0;
                              for (const Spot& spot : *where.spots) std::memset(spot.at, 0, sizeof(T));
                              return time_each(rig.operations(usual_operations),
                                               [&](int i) { ours(where[i]); });
                            },
                            {}});
  row.verify = [=, &rig] {
    if (!rig.is_first()) return true;
    T sum = 0;
    for (const Spot& spot : *where.spots) {
      T value = 0;
      comex_get(spot.at, &value, sizeof value, spot.proc, COMEX_GROUP_WORLD);
      sum += value;
    }
    return sum == static_cast<T>(rig.operations(usual_operations));
  };
  row.contenders.push_back(
      {floor_name, by_first(rig, usual_operations, [=](int i) { floor(where[i]); }), {}});
  return row;
}

Row add_row(const Rig& rig, const char* name, Where where) {
  return adding_row<long>(
      rig, name, "comex_rmw", "atomic", where,
      [](const Spot& spot) {
        long old = 0;
        comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, spot.at, 1, spot.proc, COMEX_GROUP_WORLD);
        keep(old);
      },
      [](const Spot& spot) { keep(Words(*reinterpret_cast<long*>(spot.at)).fetch_add(1)); });
}

Row acc_row(const Rig& rig, const char* name, Where where) {
  return adding_row<double>(
      rig, name, "comex_acc", "daxpy", where,
      [](const Spot& spot) {
        double scale = 0.5;
        double value = 2;
        comex_acc(COMEX_ACC_DBL, &scale, &value, spot.at, sizeof value, spot.proc, COMEX_GROUP_WORLD);
      },
      [](const Spot& spot) {
        const Reals target(*reinterpret_cast<double*>(spot.at));
        double scale = 0.5;
        double value = 2;
        asm("" : "+x"(scale), "+x"(value));
        target.store(target.load(std::memory_order_relaxed) + scale * value, std::memory_order_relaxed);
      });
}

}  // namespace

std::vector<Row> near_rows(const Rig& rig) {
  const Where anywhere{&rig.near()};
  // One word of the last worker of this host, for what the call alone costs.
  static std::vector<Spot> one;
  one.assign(1, rig.near().front());
  for (const Spot& spot : rig.near()) {
    if (spot.proc > one.front().proc) one.front() = spot;
  }
  const Where same{&one};
  std::vector<Row> rows;
  rows.push_back(put_row(rig, "put 8 B, random", anywhere));
  rows.push_back(get_row(rig, "get 8 B, random", anywhere));
  rows.push_back(add_row(rig, "fetch-and-add, random", anywhere));
  rows.push_back(acc_row(rig, "acc 8 B, random", anywhere));
  rows.push_back(put_row(rig, "put 8 B, one word", same));
  rows.push_back(get_row(rig, "get 8 B, one word", same));
  rows.push_back(add_row(rig, "fetch-and-add, one word", same));
  rows.push_back(acc_row(rig, "acc 8 B, one word", same));
  return rows;
}

}  // namespace comex::bench
