#include <atomic>
#include <memory>

#include "rows.h"

namespace comex::bench {
namespace {

constexpr int usual_locks = 4096;
constexpr int usual_contended = 2048;
constexpr int usual_barriers = 512;

// A counter that only the lock guards; worker 0's first word.
long* guarded(const Rig& rig) {
  return reinterpret_cast<long*>(rig.block_of(0));
}

bool is_neighbour(const Rig& rig) {
  int mine = 0;
  int first = 0;
  comex_host_of(rig.me(), COMEX_GROUP_WORLD, &mine);
  comex_host_of(0, COMEX_GROUP_WORLD, &first);
  return mine == first;
}

void add_under_lock(const Rig& rig) {
  comex_lock(0, 0);
  long* const word = guarded(rig);
  *word = *word + 1;
  comex_unlock(0, 0);
}

Row lock_row(const Rig& rig, const char* name, bool by_all, int usual) {
  Row row{.name = name, .contenders = {}, .verify = {}};
  const auto takes_part = [&rig, by_all] { return by_all ? is_neighbour(rig) : rig.is_first(); };
  row.contenders.push_back({"comex_lock + unlock",
                            [=, &rig] {
                              if (rig.is_first()) *guarded(rig) = 0;
                              comex_barrier(COMEX_GROUP_WORLD);
                              if (!takes_part()) return 0.0;
                              return time_each(rig.operations(usual), [&](int) { add_under_lock(rig); });
                            },
                            {}});
  row.verify = [=, &rig] {
    int parts = takes_part() ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&parts, &all, 1, MPI_INT, MPI_SUM, rig.comm());
    return !rig.is_first() || *guarded(rig) == static_cast<long>(all) * rig.operations(usual);
  };
  row.contenders.push_back({"atomic + store",
                            [=, &rig] {
                              if (!takes_part()) return 0.0;
                              long* const word = guarded(rig) + 8;
                              return time_each(rig.operations(usual), [&](int i) {
                                std::atomic_ref(*word).fetch_add(1);
                                std::atomic_ref(word[1]).store(i, std::memory_order_release);
                              });
                            },
                            {}});
  return row;
}

// Each says which round it is in before the barrier; behind it nobody may be a round behind.
Row barrier_row(const Rig& rig) {
  auto is_right = std::make_shared<bool>(true);
  Row row{.name = "barrier", .contenders = {}, .verify = {}};
  row.contenders.push_back({"comex_barrier",
                            [=, &rig] {
                              long* const mine = reinterpret_cast<long*>(rig.block_of(rig.me())) + 16;
                              std::atomic_ref(*mine).store(-1);
                              comex_barrier(COMEX_GROUP_WORLD);
                              const int behind = (rig.me() + rig.size() - 1) % rig.size();
                              for (int i = 0; i < 3; ++i) {
                                std::atomic_ref(*mine).store(i);
                                comex_barrier(COMEX_GROUP_WORLD);
                                long there = -1;
                                comex_get(rig.block_of(behind) + 16 * sizeof(long), &there, sizeof there,
                                          behind, COMEX_GROUP_WORLD);
                                if (there < i) *is_right = false;
                              }
                              return time_each(rig.operations(usual_barriers),
                                               [](int) { comex_barrier(COMEX_GROUP_WORLD); });
                            },
                            {}});
  row.verify = [is_right] { return *is_right; };
  row.contenders.push_back(
      {"MPI_Barrier",
       [&rig] { return time_each(rig.operations(usual_barriers), [&](int) { MPI_Barrier(rig.comm()); }); },
       {}});
  return row;
}

}  // namespace

std::vector<Row> meeting_rows(const Rig& rig) {
  std::vector<Row> rows;
  rows.push_back(lock_row(rig, "lock + unlock, alone", false, usual_locks));
  rows.push_back(lock_row(rig, "lock + unlock, contended", true, usual_contended));
  rows.push_back(barrier_row(rig));
  return rows;
}

}  // namespace comex::bench
