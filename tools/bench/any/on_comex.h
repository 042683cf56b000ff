// The rows on comex.h: any one, since only the functions that all of them have are required.
// nbrmw and compare-and-swap are used where the header has them.
#pragma once

#include <mpi.h>

// Not every comex.h says that it is C.
extern "C" {
#include <comex.h>
}

#include "place.h"

namespace bench {

// Unknown names in a template that depend on its parameter are no error, just not there.
template <class Int>
constexpr bool has_nbrmw = requires(Int i, void* p, comex_request_t* h) {
  comex_nbrmw(i, p, p, i, i, COMEX_GROUP_WORLD, h);
};

template <class Int>
void add_later(Int by, long* old, void* at, int proc) {
  if constexpr (has_nbrmw<Int>) {
    comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, old, at, by, proc, COMEX_GROUP_WORLD, nullptr);
  } else {
    comex_rmw(COMEX_FETCH_AND_ADD_LONG, old, at, by, proc, COMEX_GROUP_WORLD);
  }
}

#ifdef COMEX_COMPARE_AND_SWAP_LONG
constexpr int compare_and_swap_code = COMEX_COMPARE_AND_SWAP_LONG;
#else
constexpr int compare_and_swap_code = 0;
#endif

class ComexRuntime {
 public:
  bool start() {
    if (comex_init() != COMEX_SUCCESS) return false;
    comex_group_rank(COMEX_GROUP_WORLD, &me_);
    comex_group_size(COMEX_GROUP_WORLD, &size_);
    comex_group_comm(COMEX_GROUP_WORLD, &comm_);
    return true;
  }
  bool finish() { return comex_finalize() == COMEX_SUCCESS; }
  int me() const { return me_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_; }
  bool can(Need need, int) const {
    if (need == Need::third_worker) return size_ > 2;
    return need != Need::compare_and_swap || compare_and_swap_code != 0;
  }

  long from_first(long value) {
    MPI_Bcast(&value, 1, MPI_LONG, 0, comm_);
    return value;
  }
  bool all(bool mine) {
    int value = mine ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, comm_);
    return value != 0;
  }
  Segment allocate(std::size_t bytes) {
    Segment made{0, std::vector<std::byte*>(static_cast<std::size_t>(size_))};
    comex_malloc(reinterpret_cast<void**>(made.at.data()), bytes, COMEX_GROUP_WORLD);
    return made;
  }
  void release(Segment& segment) { comex_free(segment.at[static_cast<std::size_t>(me_)], COMEX_GROUP_WORLD); }
  std::byte* allocate_local(std::size_t bytes) { return static_cast<std::byte*>(comex_malloc_local(bytes)); }
  void release_local(std::byte* block) { comex_free_local(block); }
  std::byte* own(const Segment& segment) { return segment.at[static_cast<std::size_t>(me_)]; }

  void barrier() { comex_barrier(COMEX_GROUP_WORLD); }
  void meet() { barrier(); }
  void origin_is_done() { barrier(); }
  void wait_for_origin() { barrier(); }
  void fence(int proc) { comex_fence_proc(proc, COMEX_GROUP_WORLD); }
  void fence_all() { comex_fence_all(COMEX_GROUP_WORLD); }
  void wait() { comex_wait_all(COMEX_GROUP_WORLD); }

  void put(void* from, const Place& to, int bytes) {
    comex_put(from, to.at, bytes, to.proc, COMEX_GROUP_WORLD);
  }
  void get(const Place& from, void* to, int bytes) {
    comex_get(from.at, to, bytes, from.proc, COMEX_GROUP_WORLD);
  }
  void acc(double* from, const Place& to, int bytes) {
    comex_acc(COMEX_ACC_DBL, &scale_, from, to.at, bytes, to.proc, COMEX_GROUP_WORLD);
  }
  void put_and_fence(void* from, const Place& to, int bytes) {
    put(from, to, bytes);
    fence(to.proc);
  }
  void puts(void* from, const Place& to, Shape& s) {
    comex_puts(from, s.near_stride, to.at, s.far_stride, s.count, s.levels, to.proc, COMEX_GROUP_WORLD);
  }
  void gets(const Place& from, void* to, Shape& s) {
    comex_gets(from.at, s.far_stride, to, s.near_stride, s.count, s.levels, from.proc, COMEX_GROUP_WORLD);
  }
  void accs(double* from, const Place& to, Shape& s) {
    comex_accs(COMEX_ACC_DBL, &scale_, from, s.near_stride, to.at, s.far_stride, s.count, s.levels, to.proc,
               COMEX_GROUP_WORLD);
  }
  void putv(Scatter& s) {
    each(s, false, [](auto* d, int proc) { comex_putv(d, 1, proc, COMEX_GROUP_WORLD); });
  }
  void getv(Scatter& s) {
    each(s, true, [](auto* d, int proc) { comex_getv(d, 1, proc, COMEX_GROUP_WORLD); });
  }
  void accv(Scatter& s) {
    each(s, false,
         [this](auto* d, int proc) { comex_accv(COMEX_ACC_DBL, &scale_, d, 1, proc, COMEX_GROUP_WORLD); });
  }
  void nbput(void* from, const Place& to, int bytes) {
    comex_nbput(from, to.at, bytes, to.proc, COMEX_GROUP_WORLD, nullptr);
  }
  void nbget(const Place& from, void* to, int bytes) {
    comex_nbget(from.at, to, bytes, from.proc, COMEX_GROUP_WORLD, nullptr);
  }
  void nbacc(double* from, const Place& to, int bytes) {
    comex_nbacc(COMEX_ACC_DBL, &scale_, from, to.at, bytes, to.proc, COMEX_GROUP_WORLD, nullptr);
  }
  void nbadd(const Place& at, long* old) { add_later(1, old, at.at, at.proc); }

  long fetch_add(const Place& at, int by) {
    long old = 0;
    comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, at.at, by, at.proc, COMEX_GROUP_WORLD);
    return old;
  }
  long compare_and_swap(const Place& at, long expected, long desired) {
    long words[2] = {expected, desired};
    comex_rmw(compare_and_swap_code, words, at.at, 0, at.proc, COMEX_GROUP_WORLD);
    return words[0];
  }
  void make_locks() { comex_create_mutexes(1); }
  void drop_locks() { comex_destroy_mutexes(); }
  void lock(int proc) { comex_lock(0, proc); }
  void unlock(int proc) { comex_unlock(0, proc); }

 private:
  template <class Call>
  void each(Scatter& s, bool is_get, Call&& call) {
    comex_giov_t pieces{};
    pieces.src = is_get ? s.far.data() : s.near.data();
    pieces.dst = is_get ? s.near.data() : s.far.data();
    pieces.count = static_cast<int>(s.far.size());
    pieces.bytes = 8;
    call(&pieces, s.base.proc);
  }

  int me_ = 0;
  int size_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  double scale_ = 1.0;
};

}  // namespace bench
