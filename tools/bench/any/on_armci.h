// The rows on armci.h and message.h, of either flavour. There is no compare-and-swap and no non-blocking rmw.
#pragma once

#include <mpi.h>

// Not every armci.h says that it is C.
extern "C" {
#include <armci.h>
#include <message.h>
}

#include <type_traits>

#include "place.h"

namespace bench {

class ArmciRuntime {
 public:
  bool start() {
    if (ARMCI_Init() != 0) return false;
    me_ = armci_msg_me();
    size_ = armci_msg_nproc();
    return true;
  }
  bool finish() {
    return succeeded([] { return ARMCI_Finalize(); });
  }
  int me() const { return me_; }
  int size() const { return size_; }
  bool can(Need need, int) const {
    return need != Need::compare_and_swap && need != Need::unattended &&
           (need != Need::third_worker || size_ > 2);
  }

  long from_first(long value) {
    armci_msg_brdcst(&value, sizeof value, 0);
    return value;
  }
  bool all(bool mine) {
    long value = mine ? 1 : 0;
    char least[] = "min";
    armci_msg_lgop(&value, 1, least);
    return value != 0;
  }
  Segment allocate(std::size_t bytes) {
    Segment made{0, std::vector<std::byte*>(static_cast<std::size_t>(size_))};
    ARMCI_Malloc(reinterpret_cast<void**>(made.at.data()), static_cast<armci_size_t>(bytes));
    return made;
  }
  void release(Segment& segment) { ARMCI_Free(segment.at[static_cast<std::size_t>(me_)]); }
  std::byte* allocate_local(std::size_t bytes) {
    return static_cast<std::byte*>(ARMCI_Malloc_local(static_cast<armci_size_t>(bytes)));
  }
  void release_local(std::byte* block) { ARMCI_Free_local(block); }
  std::byte* own(const Segment& segment) { return segment.at[static_cast<std::size_t>(me_)]; }

  void barrier() { ARMCI_Barrier(); }
  void meet() { barrier(); }
  void origin_is_done() { barrier(); }
  void wait_for_origin() { barrier(); }
  void fence(int proc) { ARMCI_Fence(proc); }
  void fence_all() { ARMCI_AllFence(); }
  void wait() { ARMCI_WaitAll(); }

  void put(void* from, const Place& to, int bytes) { ARMCI_Put(from, to.at, bytes, to.proc); }
  void get(const Place& from, void* to, int bytes) { ARMCI_Get(from.at, to, bytes, from.proc); }
  void acc(double* from, const Place& to, int bytes) {
    ARMCI_Acc(ARMCI_ACC_DBL, &scale_, from, to.at, bytes, to.proc);
  }
  void put_and_fence(void* from, const Place& to, int bytes) {
    put(from, to, bytes);
    fence(to.proc);
  }
  void puts(void* from, const Place& to, Shape& s) {
    ARMCI_PutS(from, s.near_stride, to.at, s.far_stride, s.count, s.levels, to.proc);
  }
  void gets(const Place& from, void* to, Shape& s) {
    ARMCI_GetS(from.at, s.far_stride, to, s.near_stride, s.count, s.levels, from.proc);
  }
  void accs(double* from, const Place& to, Shape& s) {
    ARMCI_AccS(ARMCI_ACC_DBL, &scale_, from, s.near_stride, to.at, s.far_stride, s.count, s.levels, to.proc);
  }
  void putv(Scatter& s) {
    each(s, false, [](auto* d, int proc) { ARMCI_PutV(d, 1, proc); });
  }
  void getv(Scatter& s) {
    each(s, true, [](auto* d, int proc) { ARMCI_GetV(d, 1, proc); });
  }
  void accv(Scatter& s) {
    each(s, false, [this](auto* d, int proc) { ARMCI_AccV(ARMCI_ACC_DBL, &scale_, d, 1, proc); });
  }
  void nbput(void* from, const Place& to, int bytes) { ARMCI_NbPut(from, to.at, bytes, to.proc, nullptr); }
  void nbget(const Place& from, void* to, int bytes) { ARMCI_NbGet(from.at, to, bytes, from.proc, nullptr); }
  void nbacc(double* from, const Place& to, int bytes) {
    ARMCI_NbAcc(ARMCI_ACC_DBL, &scale_, from, to.at, bytes, to.proc, nullptr);
  }
  void nbadd(const Place& at, long* old) { *old = fetch_add(at, 1); }

  long fetch_add(const Place& at, int by) {
    long old = 0;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, at.at, by, at.proc);
    return old;
  }
  long compare_and_swap(const Place&, long, long) { return 0; }
  void make_locks() { ARMCI_Create_mutexes(1); }
  void drop_locks() { ARMCI_Destroy_mutexes(); }
  void lock(int proc) { ARMCI_Lock(0, proc); }
  void unlock(int proc) { ARMCI_Unlock(0, proc); }

 private:
  // Some flavours tell how it went.
  template <class Call>
  static bool succeeded(Call&& call) {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return true;
    } else {
      return call() == 0;
    }
  }
  template <class Call>
  void each(Scatter& s, bool is_get, Call&& call) {
    armci_giov_t pieces{};
    pieces.src_ptr_array = is_get ? s.far.data() : s.near.data();
    pieces.dst_ptr_array = is_get ? s.near.data() : s.far.data();
    pieces.ptr_array_len = static_cast<int>(s.far.size());
    pieces.bytes = 8;
    call(&pieces, s.base.proc);
  }

  int me_ = 0;
  int size_ = 0;
  double scale_ = 1.0;
};

}  // namespace bench
