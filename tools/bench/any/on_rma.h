// The rows on plain MPI-3 RMA, as one would write them by hand: a window an allocation, one passive epoch for
// its whole life, derived datatypes made once and kept. Flushes where comex.h promises completion, and of no
// more than has been begun since. A lock is MPI_Win_lock(EXCLUSIVE) on a window of its own.
#pragma once

#include <mpi.h>

#include <algorithm>

#include "place.h"

namespace bench {

class RmaRuntime {
 public:
  bool start() {
    MPI_Comm_rank(MPI_COMM_WORLD, &me_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    dirty_.resize(static_cast<std::size_t>(size_));
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
    Window& here = at(made.id);
    here.is_dirty.assign(static_cast<std::size_t>(size_), 0);
    MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &made.at[static_cast<std::size_t>(me_)], &here.window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, here.window);
    return made;
  }
  void release(Segment& segment) {
    Window& here = at(segment.id);
    settle();
    MPI_Win_unlock_all(here.window);
    MPI_Win_free(&here.window);
    here.window = MPI_WIN_NULL;
  }
  std::byte* allocate_local(std::size_t bytes) {
    std::byte* block = nullptr;
    MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &block);
    return block;
  }
  void release_local(std::byte* block) { MPI_Free_mem(block); }
  std::byte* own(const Segment& segment) {
    MPI_Win_sync(at(segment.id).window);
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
    std::vector<int>& segments = dirty_[static_cast<std::size_t>(proc)];
    for (const int id : segments) {
      MPI_Win_flush(proc, at(id).window);
      at(id).is_dirty[static_cast<std::size_t>(proc)] = 0;
    }
    segments.clear();
  }
  void fence_all() {
    for (std::vector<int>& segments : dirty_) {
      for (const int id : segments) {
        std::vector<char>& is_dirty = at(id).is_dirty;
        if (std::find(is_dirty.begin(), is_dirty.end(), 1) == is_dirty.end()) continue;
        MPI_Win_flush_all(at(id).window);
        std::fill(is_dirty.begin(), is_dirty.end(), 0);
      }
      segments.clear();
    }
  }
  void wait() {
    for (const int id : begun_) {
      MPI_Win_flush_local_all(at(id).window);
      at(id).is_begun = false;
    }
    begun_.clear();
  }

  void put(void* from, const Place& to, int bytes) {
    MPI_Put(from, bytes, MPI_BYTE, to.proc, displacement(to), bytes, MPI_BYTE, dirty(to));
    MPI_Win_flush_local(to.proc, of(to));
  }
  void get(const Place& from, void* to, int bytes) {
    MPI_Get(to, bytes, MPI_BYTE, from.proc, displacement(from), bytes, MPI_BYTE, of(from));
    MPI_Win_flush(from.proc, of(from));
  }
  void acc(double* from, const Place& to, int bytes) {
    const int count = bytes / 8;
    MPI_Accumulate(from, count, MPI_DOUBLE, to.proc, displacement(to), count, MPI_DOUBLE, MPI_SUM, dirty(to));
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
    MPI_Put(from, bytes, MPI_BYTE, to.proc, displacement(to), bytes, MPI_BYTE, begun(to, dirty(to)));
  }
  void nbget(const Place& from, void* to, int bytes) {
    MPI_Get(to, bytes, MPI_BYTE, from.proc, displacement(from), bytes, MPI_BYTE, begun(from, of(from)));
  }
  void nbacc(double* from, const Place& to, int bytes) {
    const int count = bytes / 8;
    MPI_Accumulate(from, count, MPI_DOUBLE, to.proc, displacement(to), count, MPI_DOUBLE, MPI_SUM,
                   begun(to, dirty(to)));
  }
  void nbadd(const Place& word, long* old) {
    MPI_Fetch_and_op(&one_, old, MPI_LONG, word.proc, displacement(word), MPI_SUM, begun(word, of(word)));
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
    bool is_begun = false;       // listed in begun_
    std::vector<char> is_dirty;  // by target: listed in dirty_
  };
  struct Kept {
    const void* of;
    MPI_Datatype near;
    MPI_Datatype far;
  };

  static MPI_Aint displacement(const Place& place) { return static_cast<MPI_Aint>(place.offset); }
  Window& at(int segment) { return windows_[static_cast<std::size_t>(segment)]; }
  MPI_Win of(const Place& place) { return at(place.segment).window; }
  // The next fence of that target is to flush it.
  MPI_Win dirty(const Place& place) {
    Window& window = at(place.segment);
    char& is_dirty = window.is_dirty[static_cast<std::size_t>(place.proc)];
    if (is_dirty == 0) {
      is_dirty = 1;
      dirty_[static_cast<std::size_t>(place.proc)].push_back(place.segment);
    }
    return window.window;
  }
  // The next wait is to.
  MPI_Win begun(const Place& place, MPI_Win window) {
    if (!at(place.segment).is_begun) {
      at(place.segment).is_begun = true;
      begun_.push_back(place.segment);
    }
    return window;
  }
  void settle() {
    wait();
    fence_all();
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
  std::vector<std::vector<int>>
      dirty_;               // by target: segments that something has been written to since its fence
  std::vector<int> begun_;  // segments that something has been begun in since the last wait
  std::vector<Kept> kept_;
};

}  // namespace bench
