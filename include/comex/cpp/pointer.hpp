// Pointers to and spans of the memory of any rank. Included by comex.hpp.
#pragma once

#include <comex/worlds.h>
#include <comex/cpp/error.hpp>

#include <compare>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <type_traits>

namespace comex {
namespace detail {

// Arrays of a class are none of its base: their elements lie as far apart as they did.
template <class From, class To>
concept adds_const = !std::is_same_v<From, To> && std::is_convertible_v<From (*)[], To (*)[]>;

template <class Pointer>
using element_of = typename std::pointer_traits<Pointer>::element_type;

}  // namespace detail

// The address of a T in the memory of a rank of a group. A value that owns nothing; the group lives as long
// as it is used. Arithmetic is as with T*, and pointers to one rank are ordered by address.
template <class T>
class global_ptr {
 public:
  using element_type = T;

  constexpr global_ptr() noexcept = default;
  constexpr global_ptr(T* address, int rank, comex_group_t over = COMEX_GROUP_WORLD) noexcept
      : group_(over), rank_(rank), address_(address) {}
  // To a pointer to const.
  template <class U>
  requires detail::adds_const<U, T>
  constexpr global_ptr(const global_ptr<U>& other) noexcept
      : global_ptr(other.address(), other.rank(), other.group()) {}

  // As the C calls take it. The ranks of the owner's host may load and store there.
  constexpr T* address() const noexcept { return address_; }
  constexpr int rank() const noexcept { return rank_; }
  constexpr comex_group_t group() const noexcept { return group_; }
  constexpr explicit operator bool() const noexcept { return address_ != nullptr; }

  // The address if the caller shares memory with the rank, else null. Not for inter-groups.
  T* local() const {
    int me = detail::no_target;
    int here = 0;
    int there = 0;
    detail::check(comex_group_rank(group_, &me), {.name = "group_rank", .group = group_});
    detail::check(comex_host_of(me, group_, &here), {.name = "host_of", .target = me, .group = group_});
    detail::check(comex_host_of(rank_, group_, &there),
                  {.name = "host_of", .target = rank_, .group = group_});
    return here == there ? address_ : nullptr;
  }

  constexpr global_ptr& operator+=(std::ptrdiff_t elements) noexcept {
    address_ += elements;
    return *this;
  }
  constexpr global_ptr& operator-=(std::ptrdiff_t elements) noexcept { return *this += -elements; }
  constexpr global_ptr& operator++() noexcept { return *this += 1; }
  constexpr global_ptr& operator--() noexcept { return *this -= 1; }
  constexpr global_ptr operator++(int) noexcept {
    const global_ptr before = *this;
    ++*this;
    return before;
  }
  constexpr global_ptr operator--(int) noexcept {
    const global_ptr before = *this;
    --*this;
    return before;
  }
  friend constexpr global_ptr operator+(global_ptr at, std::ptrdiff_t elements) noexcept {
    return at += elements;
  }
  friend constexpr global_ptr operator+(std::ptrdiff_t elements, global_ptr at) noexcept {
    return at += elements;
  }
  friend constexpr global_ptr operator-(global_ptr at, std::ptrdiff_t elements) noexcept {
    return at -= elements;
  }
  // Elements between two addresses of one rank and allocation.
  friend constexpr std::ptrdiff_t operator-(const global_ptr& a, const global_ptr& b) noexcept {
    return a.address_ - b.address_;
  }
  friend constexpr bool operator==(const global_ptr&, const global_ptr&) noexcept = default;
  friend constexpr auto operator<=>(const global_ptr&, const global_ptr&) noexcept = default;

 private:
  comex_group_t group_ = COMEX_GROUP_WORLD;
  int rank_ = detail::no_target;
  T* address_ = nullptr;
};

// `size` elements in a row in the memory of one rank. A value that owns nothing.
template <class T>
class global_span {
 public:
  using element_type = T;

  constexpr global_span() noexcept = default;
  constexpr global_span(global_ptr<T> first, std::size_t size) noexcept : first_(first), size_(size) {}
  template <class U>
  requires detail::adds_const<U, T>
  constexpr global_span(const global_span<U>& other) noexcept : first_(other.data()), size_(other.size()) {}

  constexpr global_ptr<T> data() const noexcept { return first_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr int rank() const noexcept { return first_.rank(); }
  constexpr comex_group_t group() const noexcept { return first_.group(); }
  // A pointer to element i. It is not checked, as with std::span.
  constexpr global_ptr<T> operator[](std::size_t i) const noexcept {
    return first_ + static_cast<std::ptrdiff_t>(i);
  }

  // Parts; they throw std::out_of_range where they would leave the span.
  constexpr global_span subspan(std::size_t from, std::size_t count) const {
    if (from > size_ || count > size_ - from) throw std::out_of_range("comex::global_span: outside");
    return {(*this)[from], count};
  }
  constexpr global_span first(std::size_t count) const { return subspan(0, count); }
  constexpr global_span last(std::size_t count) const {
    if (count > size_) throw std::out_of_range("comex::global_span: outside");
    return subspan(size_ - count, count);
  }

 private:
  global_ptr<T> first_;
  std::size_t size_ = 0;
};

}  // namespace comex
