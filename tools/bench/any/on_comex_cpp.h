// The blocking rows on comex.hpp. What it calls as C does, and what has no other form in it, is as in
// on_comex.h; the driver leaves those rows out of the column.
#pragma once

#include <comex/comex.hpp>

#include "on_comex.h"

namespace bench {

class ComexCppRuntime : public ComexRuntime {
 public:
  void put(const void* from, const Place& to, int bytes) { comex::put(bytes_at(from, bytes), pointer(to)); }
  void get(const Place& from, void* to, int bytes) {
    comex::get(pointer(from), std::span(static_cast<std::byte*>(to), static_cast<std::size_t>(bytes)));
  }
  void acc(const double* from, const Place& to, int bytes) {
    comex::accumulate(std::span(from, static_cast<std::size_t>(bytes) / sizeof(double)),
                      pointer_to<double>(to));
  }
  void fence(int proc) { comex::group::world().fence(proc); }
  void put_and_fence(const void* from, const Place& to, int bytes) {
    put(from, to, bytes);
    fence(to.proc);
  }
  void barrier() { comex::group::world().barrier(); }
  void meet() { barrier(); }

  long fetch_add(const Place& at, int by) { return comex::fetch_add(pointer_to<long>(at), by); }
  long compare_and_swap(const Place& at, long expected, long desired) {
    return comex::compare_swap(pointer_to<long>(at), expected, desired);
  }
  void lock(int proc) { comex::mutex(0, proc).lock(); }
  void unlock(int proc) { comex::mutex(0, proc).unlock(); }

 private:
  template <class T>
  static comex::global_ptr<T> pointer_to(const Place& place) {
    return {reinterpret_cast<T*>(place.at), place.proc};
  }
  static comex::global_ptr<std::byte> pointer(const Place& place) { return pointer_to<std::byte>(place); }
  static std::span<const std::byte> bytes_at(const void* from, int bytes) {
    return {static_cast<const std::byte*>(from), static_cast<std::size_t>(bytes)};
  }
};

}  // namespace bench
