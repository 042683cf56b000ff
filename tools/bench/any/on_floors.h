// The floors: what the rows would cost if a runtime cost nothing. Memory and its placement are the runtime's
// own, so that pages and caches are the same; workers on the origin's host are reached by plain stores,
// copies and atomics, workers on another one by MPI messages (floor_messages.h).
#pragma once

#include <cstdlib>
#include <memory>

#include "floor_messages.h"

#include "on_comex.h"

namespace bench {

class FloorRuntime {
 public:
  bool start() {
    if (!below_.start()) return false;
    int first = 0;
    int mine = 0;
    comex_host_of(0, COMEX_GROUP_WORLD, &first);
    for (int proc = 0; proc < size(); ++proc) {
      int host = 0;
      comex_host_of(proc, COMEX_GROUP_WORLD, &host);
      is_near_.push_back(host == first);
    }
    comex_host_of(me(), COMEX_GROUP_WORLD, &mine);
    messages_ = std::make_unique<floors::Messages>(below_.comm());
    locks_ = below_.allocate(4096);
    std::memset(below_.own(locks_), 0, 4096);
    below_.barrier();
    return true;
  }
  bool finish() {
    below_.release(locks_);
    return below_.finish();
  }
  int me() const { return below_.me(); }
  int size() const { return below_.size(); }
  MPI_Comm comm() const { return below_.comm(); }
  bool is_near(int proc) const { return is_near_[static_cast<std::size_t>(proc)]; }
  // Over messages there is a floor for what one origin does to one target; shapes have contiguous bytes for a
  // floor, and small operations one place, since looking up the next would show in them.
  bool can(Need need, int proc) const {
    if (need == Need::allocation || need == Need::own_start || need == Need::third_worker ||
        need == Need::accumulates_by_all || need == Need::unattended) {
      return false;
    }
    if (need == Need::third_sender) return size() > 2;
    return is_near(proc) || need == Need::nothing || need == Need::local_memory;
  }

  long from_first(long value) { return below_.from_first(value); }
  bool all(bool mine) { return below_.all(mine); }
  Segment allocate(std::size_t bytes) { return below_.allocate(bytes); }
  void release(Segment& segment) { below_.release(segment); }
  std::byte* allocate_local(std::size_t bytes) { return static_cast<std::byte*>(std::malloc(bytes)); }
  void release_local(std::byte* block) { std::free(block); }
  std::byte* own(const Segment& segment) { return below_.own(segment); }

  void barrier() { below_.barrier(); }
  void meet() { MPI_Barrier(comm()); }
  void origin_is_done() {
    for (int proc = 0; proc < size(); ++proc) {
      if (!is_near(proc)) messages_->stop(proc);
    }
    below_.barrier();
  }
  void wait_for_origin() {
    if (!is_near(me())) messages_->serve(std::size_t{16} << 20);
    below_.barrier();
  }
  void fence(int proc) {
    if (!is_near(proc)) messages_->fence(proc);
  }
  void fence_all() {
    for (int proc = 0; proc < size(); ++proc) fence(proc);
  }
  void wait() { messages_->wait(); }

  void put(void* from, const Place& to, int bytes) {
    if (is_near(to.proc)) return floors::copy(to.at, from, static_cast<std::size_t>(bytes));
    messages_->put(from, to, bytes, false);
  }
  void put_and_fence(void* from, const Place& to, int bytes) {
    if (is_near(to.proc)) return floors::copy(to.at, from, static_cast<std::size_t>(bytes));
    messages_->put_confirmed(from, to, bytes);
  }
  void get(const Place& from, void* to, int bytes) {
    if (is_near(from.proc)) return floors::copy(to, from.at, static_cast<std::size_t>(bytes));
    messages_->get(from, to, bytes);
  }
  void acc(double* from, const Place& to, int bytes) {
    if (is_near(to.proc)) return floors::add(scale_, from, real(to), static_cast<std::size_t>(bytes));
    messages_->put(from, to, bytes, true);
  }
  void puts(void* from, const Place& to, Shape& s) {
    rows(s, [&](std::size_t near, std::size_t far) {
      std::memcpy(to.at + far, static_cast<std::byte*>(from) + near, static_cast<std::size_t>(s.count[0]));
    });
  }
  void gets(const Place& from, void* to, Shape& s) {
    rows(s, [&](std::size_t near, std::size_t far) {
      std::memcpy(static_cast<std::byte*>(to) + near, from.at + far, static_cast<std::size_t>(s.count[0]));
    });
  }
  void accs(double* from, const Place& to, Shape& s) {
    rows(s, [&](std::size_t near, std::size_t far) {
      floors::daxpy(scale_, from + near / 8, real(to) + far / 8, static_cast<std::size_t>(s.count[0]) / 8);
    });
  }
  void putv(Scatter& s) {
    for (std::size_t i = 0; i < s.far.size(); ++i) std::memcpy(s.far[i], s.near[i], 8);
  }
  void getv(Scatter& s) {
    for (std::size_t i = 0; i < s.far.size(); ++i) std::memcpy(s.near[i], s.far[i], 8);
  }
  void accv(Scatter& s) {
    for (std::size_t i = 0; i < s.far.size(); ++i) {
      *static_cast<double*>(s.far[i]) += scale_ * *static_cast<double*>(s.near[i]);
    }
  }
  void nbput(void* from, const Place& to, int bytes) {
    if (is_near(to.proc)) return put(from, to, bytes);
    messages_->nbput(from, to, bytes, false);
  }
  void nbget(const Place& from, void* to, int bytes) {
    if (is_near(from.proc)) return get(from, to, bytes);
    messages_->nbget(from, to, bytes);
  }
  void nbacc(double* from, const Place& to, int bytes) {
    if (is_near(to.proc)) return acc(from, to, bytes);
    messages_->nbput(from, to, bytes, true);
  }
  void nbadd(const Place& at, long* old) {
    if (is_near(at.proc)) {
      *old = fetch_add(at, 1);
    } else {
      messages_->nbadd(at, old);
    }
  }
  long fetch_add(const Place& at, int by) {
    if (!is_near(at.proc)) return messages_->add_word(at);
    return std::atomic_ref(*reinterpret_cast<long*>(at.at)).fetch_add(by);
  }
  long compare_and_swap(const Place& at, long expected, long desired) {
    std::atomic_ref(*reinterpret_cast<long*>(at.at)).compare_exchange_strong(expected, desired);
    return expected;
  }
  void make_locks() {}
  void drop_locks() {}
  void lock(int proc) { floors::lock(lock_of(proc)); }
  void unlock(int proc) { floors::unlock(lock_of(proc)); }
  int* lock_of(int proc) { return reinterpret_cast<int*>(locks_.at[static_cast<std::size_t>(proc)]); }
  floors::Messages& messages() { return *messages_; }

 private:
  template <class Row>
  static void rows(const Shape& s, Row&& row) {
    std::size_t near = 0;
    for (int plane = 0; plane < (s.levels == 2 ? s.count[2] : 1); ++plane) {
      std::size_t far = static_cast<std::size_t>(plane) * static_cast<std::size_t>(s.far_stride[1]);
      for (int i = 0; i < s.count[1]; ++i) {
        row(near, far);
        near += static_cast<std::size_t>(s.count[0]);
        far += static_cast<std::size_t>(s.far_stride[0]);
      }
    }
  }
  static double* real(const Place& place) { return reinterpret_cast<double*>(place.at); }

  ComexRuntime below_;
  std::vector<bool> is_near_;
  std::unique_ptr<floors::Messages> messages_;
  Segment locks_;
  double scale_ = 1.0;
};

}  // namespace bench
