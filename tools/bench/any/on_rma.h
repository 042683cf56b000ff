// The rows on plain MPI-3 RMA, as one would write them by hand: a window an allocation, one passive epoch for
// its whole life, flushes where comex.h promises completion, derived datatypes made once and kept. A lock is
// MPI_Win_lock(EXCLUSIVE) on a window of its own.
#pragma once

#include <mpi.h>

#include "place.h"

namespace bench {

class RmaRuntime {
 public:
  bool start() {
    MPI_Comm_rank(MPI_COMM_WORLD, &me_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    return true;
  }
  bool finish() {
    for (Kept& one : kept_) {
      MPI_Type_free(&one.near);
      MPI_Type_free(&one.far);
    }
    kept_.clear();
    return true;
  }
  int me() const { return me_; }
  int size() const { return size_; }
  bool can(Need need, int) const {
    return need != Need::own_start && need != Need::unattended && (need != Need::third_worker || size_ > 2);
  }

  long from_first(long value) {
    MPI_Bcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return value;
  }
  bool all(bool mine) {
    int value = mine ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return value != 0;
  }
  Segment allocate(std::size_t bytes) {
    Segment made{static_cast<int>(windows_.size()),
                 std::vector<std::byte*>(static_cast<std::size_t>(size_), nullptr)};
    for (std::size_t i = 0; i < windows_.size() && made.id == static_cast<int>(windows_.size()); ++i) {
      if (windows_[i].window == MPI_WIN_NULL) made.id = static_cast<int>(i);
    }
    if (made.id == static_cast<int>(windows_.size())) windows_.emplace_back();
    Window& here = windows_[static_cast<std::size_t>(made.id)];
    MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &made.at[static_cast<std::size_t>(me_)], &here.window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, here.window);
    return made;
  }
  void release(Segment& segment) {
    Window& here = windows_[static_cast<std::size_t>(segment.id)];
    settle();
    MPI_Win_unlock_all(here.window);
    MPI_Win_free(&here.window);
    here.window = MPI_WIN_NULL;
  }
  std::byte* own(const Segment& segment) {
    MPI_Win_sync(windows_[static_cast<std::size_t>(segment.id)].window);
    return segment.at[static_cast<std::size_t>(me_)];
  }

  void barrier() {
    settle();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void meet() { barrier(); }
  void origin_is_done() { barrier(); }
  void wait_for_origin() { barrier(); }
  void fence(int proc) {
    for (const int id : dirty_) MPI_Win_flush(proc, windows_[static_cast<std::size_t>(id)].window);
    forget();
  }
  void fence_all() {
    for (const int id : dirty_) MPI_Win_flush_all(windows_[static_cast<std::size_t>(id)].window);
    forget();
  }
  void wait() {
    for (const int id : dirty_) MPI_Win_flush_local_all(windows_[static_cast<std::size_t>(id)].window);
  }

  void put(void* from, const Place& to, int bytes) {
    nbput(from, to, bytes);
    MPI_Win_flush_local(to.proc, of(to));
  }
  void get(const Place& from, void* to, int bytes) {
    MPI_Get(to, bytes, MPI_BYTE, from.proc, displacement(from), bytes, MPI_BYTE, of(from));
    MPI_Win_flush(from.proc, of(from));
  }
  void acc(double* from, const Place& to, int bytes) {
    nbacc(from, to, bytes);
    MPI_Win_flush_local(to.proc, of(to));
  }
  void put_and_fence(void* from, const Place& to, int bytes) {
    put(from, to, bytes);
    fence(to.proc);
  }
  void puts(void* from, const Place& to, Shape& s) {
    const Kept& type = types_of(s);
    MPI_Put(from, 1, type.near, to.proc, displacement(to), 1, type.far, dirty(to));
    MPI_Win_flush_local(to.proc, of(to));
  }
  void gets(const Place& from, void* to, Shape& s) {
    const Kept& type = types_of(s);
    MPI_Get(to, 1, type.near, from.proc, displacement(from), 1, type.far, of(from));
    MPI_Win_flush(from.proc, of(from));
  }
  void accs(double* from, const Place& to, Shape& s) {
    const Kept& type = types_of(s);
    MPI_Accumulate(from, 1, type.near, to.proc, displacement(to), 1, type.far, MPI_SUM, dirty(to));
    MPI_Win_flush_local(to.proc, of(to));
  }
  void putv(Scatter& s) {
    const Kept& type = types_of(s);
    MPI_Put(s.near[0], 1, type.near, s.base.proc, displacement(s.base), 1, type.far, dirty(s.base));
    MPI_Win_flush_local(s.base.proc, of(s.base));
  }
  void getv(Scatter& s) {
    const Kept& type = types_of(s);
    MPI_Get(s.near[0], 1, type.near, s.base.proc, displacement(s.base), 1, type.far, of(s.base));
    MPI_Win_flush(s.base.proc, of(s.base));
  }
  void accv(Scatter& s) {
    const Kept& type = types_of(s);
    MPI_Accumulate(s.near[0], 1, type.near, s.base.proc, displacement(s.base), 1, type.far, MPI_SUM,
                   dirty(s.base));
    MPI_Win_flush_local(s.base.proc, of(s.base));
  }
  void nbput(void* from, const Place& to, int bytes) {
    MPI_Put(from, bytes, MPI_BYTE, to.proc, displacement(to), bytes, MPI_BYTE, dirty(to));
  }
  void nbget(const Place& from, void* to, int bytes) {
    MPI_Get(to, bytes, MPI_BYTE, from.proc, displacement(from), bytes, MPI_BYTE, dirty(from));
  }
  void nbacc(double* from, const Place& to, int bytes) {
    const int count = bytes / 8;
    MPI_Accumulate(from, count, MPI_DOUBLE, to.proc, displacement(to), count, MPI_DOUBLE, MPI_SUM, dirty(to));
  }
  void nbadd(const Place& at, long* old) {
    MPI_Fetch_and_op(&one_, old, MPI_LONG, at.proc, displacement(at), MPI_SUM, dirty(at));
  }

  long fetch_add(const Place& at, int by) {
    const long added = by;
    long old = 0;
    MPI_Fetch_and_op(&added, &old, MPI_LONG, at.proc, displacement(at), MPI_SUM, of(at));
    MPI_Win_flush(at.proc, of(at));
    return old;
  }
  long compare_and_swap(const Place& at, long expected, long desired) {
    long old = 0;
    MPI_Compare_and_swap(&desired, &expected, &old, MPI_LONG, at.proc, displacement(at), of(at));
    MPI_Win_flush(at.proc, of(at));
    return old;
  }
  void make_locks() {
    void* unused = nullptr;
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&unused), &locks_);
  }
  void drop_locks() { MPI_Win_free(&locks_); }
  void lock(int proc) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, proc, 0, locks_); }
  void unlock(int proc) { MPI_Win_unlock(proc, locks_); }

 private:
  struct Window {
    MPI_Win window = MPI_WIN_NULL;
    bool is_dirty = false;
  };
  struct Kept {
    const void* of;
    MPI_Datatype near;
    MPI_Datatype far;
  };

  static MPI_Aint displacement(const Place& place) { return static_cast<MPI_Aint>(place.offset); }
  MPI_Win of(const Place& place) { return windows_[static_cast<std::size_t>(place.segment)].window; }
  MPI_Win dirty(const Place& place) {
    Window& window = windows_[static_cast<std::size_t>(place.segment)];
    if (!window.is_dirty) {
      window.is_dirty = true;
      dirty_.push_back(place.segment);
    }
    return window.window;
  }
  void forget() {
    for (const int id : dirty_) windows_[static_cast<std::size_t>(id)].is_dirty = false;
    dirty_.clear();
  }
  void settle() {
    for (const int id : dirty_) MPI_Win_flush_all(windows_[static_cast<std::size_t>(id)].window);
    forget();
  }

  const Kept& types_of(const Shape& s) {
    if (const Kept* one = find(&s)) return *one;
    return keep(&s, strided(s, s.near_stride), strided(s, s.far_stride));
  }
  const Kept& types_of(const Scatter& s) {
    if (const Kept* one = find(&s)) return *one;
    const int count = static_cast<int>(s.offsets.size());
    MPI_Datatype near = MPI_DATATYPE_NULL;
    MPI_Datatype far = MPI_DATATYPE_NULL;
    std::vector<MPI_Aint> offsets(s.offsets.begin(), s.offsets.end());
    MPI_Type_contiguous(count, MPI_DOUBLE, &near);
    MPI_Type_create_hindexed_block(count, 1, offsets.data(), MPI_DOUBLE, &far);
    return keep(&s, near, far);
  }
  static MPI_Datatype strided(const Shape& s, const int* stride) {
    MPI_Datatype plane = MPI_DATATYPE_NULL;
    MPI_Datatype all = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(s.count[1], s.count[0] / 8, stride[0], MPI_DOUBLE, &plane);
    if (s.levels == 1) return plane;
    MPI_Type_create_hvector(s.count[2], 1, stride[1], plane, &all);
    MPI_Type_free(&plane);
    return all;
  }
  const Kept* find(const void* of) const {
    for (const Kept& one : kept_) {
      if (one.of == of) return &one;
    }
    return nullptr;
  }
  const Kept& keep(const void* of, MPI_Datatype near, MPI_Datatype far) {
    MPI_Type_commit(&near);
    MPI_Type_commit(&far);
    return kept_.emplace_back(Kept{of, near, far});
  }

  int me_ = 0;
  int size_ = 0;
  long one_ = 1;
  MPI_Win locks_ = MPI_WIN_NULL;
  std::vector<Window> windows_;
  std::vector<int> dirty_;
  std::vector<Kept> kept_;
};

}  // namespace bench
