// put, get and accumulate of values and of elements in a row. Included by comex.hpp.
//
// A blocking put or accumulate returns when the source may be reused, a get when the result is there. Others
// see what was written after a fence or barrier. Elements of sources and destinations do not overlap. An
// address outside the target's memory is refused with comex::error, by the call, its future or the next
// fence.
#pragma once

#include <comex/cpp/concepts.hpp>
#include <comex/cpp/future.hpp>
#include <comex/cpp/pointer.hpp>

#include <array>
#include <bit>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace comex {

namespace detail {

// move(offset, bytes) is a blocking C call for these bytes.
template <class Move>
inline void move_all(const call& made, Move&& move) {
  if (fits_one_call(made.bytes)) [[likely]] {
    check(move(std::size_t{0}, static_cast<int>(made.bytes)), made);
    return;
  }
  in_pieces(made.bytes, most_bytes, [&](std::size_t at, int bytes) { check(move(at, bytes), made); });
}
// move(offset, bytes, handle) is a non-blocking one.
template <class Move>
inline requests begin_all(const call& made, Move&& move) {
  requests started(made);
  if (fits_one_call(made.bytes)) [[likely]] {
    started.begin([&](comex_request_t* request) {
      return move(std::size_t{0}, static_cast<int>(made.bytes), request);
    });
    return started;
  }
  in_pieces(made.bytes, most_bytes, [&](std::size_t at, int bytes) {
    started.begin([&](comex_request_t* request) { return move(at, bytes, request); });
  });
  return started;
}

template <class T>
inline call naming(const char* name, const global_ptr<T>& target, std::size_t bytes) noexcept {
  return {name, target.rank(), target.group(), bytes};
}

template <class T>
inline void put_bytes(const void* from, const global_ptr<T>& to, std::size_t bytes) {
  move_all(naming("put", to, bytes), [&](std::size_t at, int count) {
    return comex_put(raw(from) + at, raw(to.address()) + at, count, to.rank(), to.group());
  });
}
template <class T>
inline void get_bytes(const global_ptr<T>& from, void* to, std::size_t bytes) {
  move_all(naming("get", from, bytes), [&](std::size_t at, int count) {
    return comex_get(raw(from.address()) + at, raw(to) + at, count, from.rank(), from.group());
  });
}
template <class T>
inline void accumulate_bytes(const T* from, const global_ptr<T>& to, T scale, std::size_t bytes) {
  move_all(naming("acc", to, bytes), [&](std::size_t at, int count) {
    return comex_acc(accumulate_code<T>, &scale, raw(from) + at, raw(to.address()) + at, count, to.rank(),
                     to.group());
  });
}

template <class T>
inline requests begin_put(const void* from, const global_ptr<T>& to, std::size_t bytes) {
  return begin_all(naming("nbput", to, bytes), [&](std::size_t at, int count, comex_request_t* request) {
    return comex_nbput(raw(from) + at, raw(to.address()) + at, count, to.rank(), to.group(), request);
  });
}
template <class T>
inline requests begin_get(const global_ptr<T>& from, void* to, std::size_t bytes) {
  return begin_all(naming("nbget", from, bytes), [&](std::size_t at, int count, comex_request_t* request) {
    return comex_nbget(raw(from.address()) + at, raw(to) + at, count, from.rank(), from.group(), request);
  });
}
template <class T>
inline requests begin_accumulate(const T* from, const global_ptr<T>& to, T scale, std::size_t bytes) {
  return begin_all(naming("nbacc", to, bytes), [&](std::size_t at, int count, comex_request_t* request) {
    return comex_nbacc(accumulate_code<T>, &scale, raw(from) + at, raw(to.address()) + at, count, to.rank(),
                       to.group(), request);
  });
}

inline void require_same_size(std::size_t near, std::size_t far) {
  if (near != far) [[unlikely]]
    throw std::length_error("comex: the two sides of a transfer differ in size");
}

}  // namespace detail

// -- Blocking -- A span on either side is moved as a whole; std::length_error if two spans differ in size.

template <writable T>
inline void put(const std::type_identity_t<T>& value, global_ptr<T> to) {
  detail::put_bytes(std::addressof(value), to, sizeof(T));
}
template <writable T>
inline void put(std::span<const std::type_identity_t<T>> from, global_ptr<T> to) {
  detail::put_bytes(from.data(), to, from.size_bytes());
}
template <writable T>
inline void put(std::span<const std::type_identity_t<T>> from, global_span<T> to) {
  detail::require_same_size(from.size(), to.size());
  detail::put_bytes(from.data(), to.data(), from.size_bytes());
}

template <transferable T>
[[nodiscard]] inline std::remove_const_t<T> get(global_ptr<T> from) {
  alignas(T) std::array<std::byte, sizeof(T)> bytes;
  detail::get_bytes(from, bytes.data(), sizeof(T));
  return std::bit_cast<std::remove_const_t<T>>(bytes);
}
template <transferable T>
inline void get(global_ptr<T> from, std::span<std::remove_const_t<std::type_identity_t<T>>> to) {
  detail::get_bytes(from, to.data(), to.size_bytes());
}
template <transferable T>
inline void get(global_span<T> from, std::span<std::remove_const_t<std::type_identity_t<T>>> to) {
  detail::require_same_size(to.size(), from.size());
  detail::get_bytes(from.data(), to.data(), to.size_bytes());
}

// to[i] += scale * from[i]; each element is updated atomically among accumulates of its type.
template <accumulable T>
inline void accumulate(const std::type_identity_t<T>& value, global_ptr<T> to,
                       std::type_identity_t<T> scale = 1) {
  detail::accumulate_bytes(std::addressof(value), to, scale, sizeof(T));
}
template <accumulable T>
inline void accumulate(std::span<const std::type_identity_t<T>> from, global_ptr<T> to,
                       std::type_identity_t<T> scale = 1) {
  detail::accumulate_bytes(from.data(), to, scale, from.size_bytes());
}
template <accumulable T>
inline void accumulate(std::span<const std::type_identity_t<T>> from, global_span<T> to,
                       std::type_identity_t<T> scale = 1) {
  detail::require_same_size(from.size(), to.size());
  detail::accumulate_bytes(from.data(), to.data(), scale, from.size_bytes());
}

// -- Non-blocking -- The caller's memory stays as it is until the future is complete. A value that would die
// before is refused by the compiler; the scale is copied.

template <writable T>
inline future<> async_put(const std::type_identity_t<T>& value, global_ptr<T> to) {
  return future<>([&] { return detail::begin_put(std::addressof(value), to, sizeof(T)); });
}
template <writable T>
future<> async_put(const std::type_identity_t<T>&& value, global_ptr<T> to) = delete;
template <writable T>
inline future<> async_put(std::span<const std::type_identity_t<T>> from, global_ptr<T> to) {
  return future<>([&] { return detail::begin_put(from.data(), to, from.size_bytes()); });
}
template <writable T>
inline future<> async_put(std::span<const std::type_identity_t<T>> from, global_span<T> to) {
  detail::require_same_size(from.size(), to.size());
  return future<>([&] { return detail::begin_put(from.data(), to.data(), from.size_bytes()); });
}

// The future has the memory for the value.
template <transferable T>
inline future<std::remove_const_t<T>> async_get(global_ptr<T> from) {
  return future<std::remove_const_t<T>>([&](void* to) { return detail::begin_get(from, to, sizeof(T)); });
}
template <transferable T>
inline future<> async_get(global_ptr<T> from, std::span<std::remove_const_t<std::type_identity_t<T>>> to) {
  return future<>([&] { return detail::begin_get(from, to.data(), to.size_bytes()); });
}
template <transferable T>
inline future<> async_get(global_span<T> from, std::span<std::remove_const_t<std::type_identity_t<T>>> to) {
  detail::require_same_size(to.size(), from.size());
  return future<>([&] { return detail::begin_get(from.data(), to.data(), to.size_bytes()); });
}

template <accumulable T>
inline future<> async_accumulate(const std::type_identity_t<T>& value, global_ptr<T> to,
                                 std::type_identity_t<T> scale = 1) {
  return future<>([&] { return detail::begin_accumulate(std::addressof(value), to, scale, sizeof(T)); });
}
template <accumulable T>
future<> async_accumulate(const std::type_identity_t<T>&& value, global_ptr<T> to,
                          std::type_identity_t<T> scale = 1) = delete;
template <accumulable T>
inline future<> async_accumulate(std::span<const std::type_identity_t<T>> from, global_ptr<T> to,
                                 std::type_identity_t<T> scale = 1) {
  return future<>([&] { return detail::begin_accumulate(from.data(), to, scale, from.size_bytes()); });
}
template <accumulable T>
inline future<> async_accumulate(std::span<const std::type_identity_t<T>> from, global_span<T> to,
                                 std::type_identity_t<T> scale = 1) {
  detail::require_same_size(from.size(), to.size());
  return future<>([&] { return detail::begin_accumulate(from.data(), to.data(), scale, from.size_bytes()); });
}

// The caller's writes to the pointer's rank are there for everybody.
template <class T>
inline void fence(const global_ptr<T>& target) {
  detail::check(comex_fence_proc(target.rank(), target.group()), detail::naming("fence_proc", target, 0));
}

}  // namespace comex
