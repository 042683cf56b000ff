// Many pieces of one length, anywhere in the memory of one rank: the vector forms. Included by comex.hpp.
#pragma once

#include <comex/cpp/concepts.hpp>
#include <comex/cpp/future.hpp>
#include <comex/cpp/pointer.hpp>

#include <climits>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace comex {

// A list of pairs of places, each of `length` elements: one of the caller's and one of a rank's. All are of
// one rank. The list may be changed or die once a call has returned, also a non-blocking one. A place that is
// named more than once is left with one of the values by a put or get.
template <writable T>
class pieces {
 public:
  explicit pieces(std::size_t length) : bytes_(static_cast<int>(length * sizeof(T))) {
    if (length > static_cast<std::size_t>(INT_MAX) / sizeof(T))
      throw std::length_error("comex::pieces: a piece has at most 2 GiB");
  }

  void reserve(std::size_t count) {
    near_.reserve(count);
    far_.reserve(count);
  }
  void add(T* near, global_ptr<T> far) {
    if (far_.empty()) {
      rank_ = far.rank();
      group_ = far.group();
    } else if (far.rank() != rank_ || far.group() != group_) {
      throw std::invalid_argument("comex::pieces: all pieces are of one rank of one group");
    }
    near_.resize(far_.size());  // longer only after a push_back that has thrown
    near_.push_back(near);
    far_.push_back(far.address());
  }
  void clear() noexcept {
    near_.clear();
    far_.clear();
  }
  std::size_t size() const noexcept { return far_.size(); }

  // For the calls below. A C call takes the arrays as they are.
  template <class Move>
  void move(const char* name, Move&& made) const {
    if (size() == 0) return;
    comex_giov_t list = as_written();
    detail::check(made(list, rank_, group_), naming(name));
  }
  template <class Move>
  future<> begin(const char* name, Move&& made) const {
    detail::requests started(naming(name));
    if (size() == 0) return future<>();
    comex_giov_t list = as_written();
    started.begin([&](comex_request_t* request) { return made(list, rank_, group_, request); });
    return future<>(std::move(started));
  }
  static void turn(comex_giov_t& list) noexcept { std::swap(list.src, list.dst); }
  static comex_giov_x_t widened(const comex_giov_t& list) noexcept {
    return {list.src, list.dst, static_cast<std::size_t>(list.count), static_cast<std::size_t>(list.bytes)};
  }

 private:
  comex_giov_t as_written() const {
    if (size() > static_cast<std::size_t>(INT_MAX)) throw std::length_error("comex::pieces: too many");
    return {const_cast<void**>(near_.data()), const_cast<void**>(far_.data()), static_cast<int>(size()),
            bytes_};
  }
  detail::call naming(const char* name) const noexcept {
    return {name, rank_, group_, size() * static_cast<std::size_t>(bytes_)};
  }

  std::vector<void*> near_;
  std::vector<void*> far_;
  int bytes_;
  int rank_ = detail::no_target;
  comex_group_t group_ = COMEX_GROUP_WORLD;
};

// From the caller's places to the rank's, back, and as a sum. Completion and errors are those of the
// contiguous forms, but a vector that is refused may have moved some of its pieces.
template <writable T>
void put(const pieces<T>& list) {
  list.move("putv",
            [](comex_giov_t& of, int proc, comex_group_t over) { return comex_putv(&of, 1, proc, over); });
}
template <writable T>
void get(const pieces<T>& list) {
  list.move("getv", [](comex_giov_t& of, int proc, comex_group_t over) {
    pieces<T>::turn(of);
    return comex_getv(&of, 1, proc, over);
  });
}
template <accumulable T>
void accumulate(const pieces<T>& list, std::type_identity_t<T> scale = 1) {
  list.move("accv", [&](comex_giov_t& of, int proc, comex_group_t over) {
    return comex_accv(detail::accumulate_code<T>, &scale, &of, 1, proc, over);
  });
}
// Another operation than the scaled sum, as in accumulate<operation::max>(list).
template <operation how, accumulable T>
requires combinable<T, how>
void accumulate(const pieces<T>& list) {
  list.move("accv_op", [](comex_giov_t& of, int proc, comex_group_t over) {
    const comex_giov_x_t wide = pieces<T>::widened(of);
    return comex_accv_op(static_cast<int>(how), detail::accumulate_code<T>, &wide, 1, proc, over);
  });
}
template <writable T>
future<> async_put(const pieces<T>& list) {
  return list.begin("nbputv", [](comex_giov_t& of, int proc, comex_group_t over, comex_request_t* request) {
    return comex_nbputv(&of, 1, proc, over, request);
  });
}
template <writable T>
future<> async_get(const pieces<T>& list) {
  return list.begin("nbgetv", [](comex_giov_t& of, int proc, comex_group_t over, comex_request_t* request) {
    pieces<T>::turn(of);
    return comex_nbgetv(&of, 1, proc, over, request);
  });
}
template <accumulable T>
future<> async_accumulate(const pieces<T>& list, std::type_identity_t<T> scale = 1) {
  return list.begin("nbaccv", [&](comex_giov_t& of, int proc, comex_group_t over, comex_request_t* request) {
    return comex_nbaccv(detail::accumulate_code<T>, &scale, &of, 1, proc, over, request);
  });
}

template <operation how, accumulable T>
requires combinable<T, how> future<> async_accumulate(const pieces<T>& list) {
  return list.begin("nbaccv_op", [](comex_giov_t& of, int proc, comex_group_t over,
                                    comex_request_t* request) {
    const comex_giov_x_t wide = pieces<T>::widened(of);
    return comex_nbaccv_op(static_cast<int>(how), detail::accumulate_code<T>, &wide, 1, proc, over, request);
  });
}

}  // namespace comex
