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
#include <ranges>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace comex {

namespace detail {

template <class T>
inline call naming(const char* name, const global_ptr<T>& target, std::size_t bytes) noexcept {
  return {name, target.rank(), target.group(), bytes};
}

template <class T>
inline void put_bytes(const void* from, const global_ptr<T>& to, std::size_t bytes) {
  check(comex_put_x(from, raw(to.address()), bytes, to.rank(), to.group()), naming("put", to, bytes));
}
template <class T>
inline void get_bytes(const global_ptr<T>& from, void* to, std::size_t bytes) {
  check(comex_get_x(from.address(), to, bytes, from.rank(), from.group()), naming("get", from, bytes));
}
template <class T>
inline void accumulate_bytes(const T* from, const global_ptr<T>& to, T scale, std::size_t bytes) {
  check(comex_acc_x(accumulate_code<T>, &scale, from, to.address(), bytes, to.rank(), to.group()),
        naming("acc", to, bytes));
}
template <class T>
inline void combine_bytes(operation how, const T* from, const global_ptr<T>& to, std::size_t bytes) {
  check(comex_acc_op(static_cast<int>(how), accumulate_code<T>, from, to.address(), bytes, to.rank(),
                     to.group()),
        naming("acc_op", to, bytes));
}

// start(handle) is a non-blocking C call.
template <class Start>
inline requests begin_one(const call& made, Start&& start) {
  requests started(made);
  started.begin(start);
  return started;
}
template <class T>
inline requests begin_put(const void* from, const global_ptr<T>& to, std::size_t bytes) {
  return begin_one(naming("nbput", to, bytes), [&](comex_request_t* request) {
    return comex_nbput_x(from, raw(to.address()), bytes, to.rank(), to.group(), request);
  });
}
template <class T>
inline requests begin_get(const global_ptr<T>& from, void* to, std::size_t bytes) {
  return begin_one(naming("nbget", from, bytes), [&](comex_request_t* request) {
    return comex_nbget_x(from.address(), to, bytes, from.rank(), from.group(), request);
  });
}
template <class T>
inline requests begin_accumulate(const T* from, const global_ptr<T>& to, T scale, std::size_t bytes) {
  return begin_one(naming("nbacc", to, bytes), [&](comex_request_t* request) {
    return comex_nbacc_x(accumulate_code<T>, &scale, from, to.address(), bytes, to.rank(), to.group(),
                         request);
  });
}
template <class T>
inline requests begin_combine(operation how, const T* from, const global_ptr<T>& to, std::size_t bytes) {
  return begin_one(naming("nbacc_op", to, bytes), [&](comex_request_t* request) {
    return comex_nbacc_op(static_cast<int>(how), accumulate_code<T>, from, to.address(), bytes, to.rank(),
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

// Another operation than the scaled sum, as in accumulate<operation::max>(from, to).
template <operation how, accumulable T>
requires combinable<T, how>
inline void accumulate(const std::type_identity_t<T>& value, global_ptr<T> to) {
  detail::combine_bytes(how, std::addressof(value), to, sizeof(T));
}
template <operation how, accumulable T>
requires combinable<T, how>
inline void accumulate(std::span<const std::type_identity_t<T>> from, global_ptr<T> to) {
  detail::combine_bytes(how, from.data(), to, from.size_bytes());
}
template <operation how, accumulable T>
requires combinable<T, how>
inline void accumulate(std::span<const std::type_identity_t<T>> from, global_span<T> to) {
  detail::require_same_size(from.size(), to.size());
  detail::combine_bytes(how, from.data(), to.data(), from.size_bytes());
}

// -- Non-blocking -- The caller's memory stays as it is until the future is complete. A value or container
// that would die before is refused by the compiler; the scale is copied.

namespace detail {
// Deduced of a temporary that has its elements, as a vector or an array; not of a view.
template <class Range>
concept dying_container = !std::is_reference_v<Range> && std::ranges::contiguous_range<Range> &&
                          !std::ranges::borrowed_range<Range>;
}  // namespace detail

template <detail::dying_container Container, class To>
future<> async_put(Container&& from, To&& to) = delete;
template <detail::dying_container Container, class To, class... Scale>
future<> async_accumulate(Container&& from, To&& to, Scale&&... scale) = delete;
template <operation how, detail::dying_container Container, class To>
future<> async_accumulate(Container&& from, To&& to) = delete;

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

template <operation how, accumulable T>
requires combinable<T, how>
inline future<> async_accumulate(const std::type_identity_t<T>& value, global_ptr<T> to) {
  return future<>([&] { return detail::begin_combine(how, std::addressof(value), to, sizeof(T)); });
}
template <operation how, accumulable T>
requires combinable<T, how> future<> async_accumulate(const std::type_identity_t<T>&& value, global_ptr<T> to)
= delete;
template <operation how, accumulable T>
requires combinable<T, how>
inline future<> async_accumulate(std::span<const std::type_identity_t<T>> from, global_ptr<T> to) {
  return future<>([&] { return detail::begin_combine(how, from.data(), to, from.size_bytes()); });
}
template <operation how, accumulable T>
requires combinable<T, how>
inline future<> async_accumulate(std::span<const std::type_identity_t<T>> from, global_span<T> to) {
  detail::require_same_size(from.size(), to.size());
  return future<>([&] { return detail::begin_combine(how, from.data(), to.data(), from.size_bytes()); });
}

// The caller's writes to the pointer's rank are there for everybody.
template <class T>
inline void fence(const global_ptr<T>& target) {
  detail::check(comex_fence_proc(target.rank(), target.group()), detail::naming("fence_proc", target, 0));
}

// The same by a future; a write that was refused is told by the next fence or barrier that blocks.
template <class T>
inline future<> async_fence(const global_ptr<T>& target) {
  return future<>([&] {
    return detail::begin_one(detail::naming("nbfence", target, 0), [&](comex_request_t* request) {
      return comex_nbfence(target.rank(), target.group(), request);
    });
  });
}

}  // namespace comex
