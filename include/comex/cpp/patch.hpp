// Patches: regular parts of arrays of up to 8 dimensions, and their transfer. Included by comex.hpp.
#pragma once

#include <comex/cpp/concepts.hpp>
#include <comex/cpp/future.hpp>
#include <comex/cpp/pointer.hpp>
#include <comex/cpp/transfer.hpp>

#include <array>
#include <climits>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace comex {

// A view of extents[0] x ... x extents[Rank-1] elements, where strides[d] elements lie between neighbours in
// dimension d. It owns nothing. Element (i, j, ...) is at first + i*strides[0] + j*strides[1] + ...
// Pointer is T* or global_ptr<T>; use the names patch and global_patch below.
template <class Pointer, std::size_t Rank>
class basic_patch {
  static_assert(Rank >= 1 && Rank <= COMEX_MAX_STRIDE_LEVEL, "a patch has 1 to 8 dimensions");

 public:
  using sizes = std::array<std::size_t, Rank>;

  // All of an array without gaps, whose last dimension is contiguous.
  constexpr basic_patch(Pointer first, const sizes& extents) noexcept : first_(first), extents_(extents) {
    std::size_t stride = 1;
    for (std::size_t d = Rank; d-- > 0; stride *= extents[d]) strides_[d] = stride;
  }
  constexpr basic_patch(Pointer first, const sizes& extents, const sizes& strides) noexcept
      : first_(first), extents_(extents), strides_(strides) {}
  // To a patch of const.
  template <class Other>
  requires std::is_convertible_v<Other, Pointer> &&
      detail::adds_const<detail::element_of<Other>, detail::element_of<Pointer>>
  constexpr basic_patch(const basic_patch<Other, Rank>& other) noexcept
      : basic_patch(other.first(), other.extents(), other.strides()) {}

  constexpr Pointer first() const noexcept { return first_; }
  constexpr const sizes& extents() const noexcept { return extents_; }
  constexpr const sizes& strides() const noexcept { return strides_; }
  constexpr std::size_t size() const noexcept {
    std::size_t product = 1;
    for (const std::size_t extent : extents_) product *= extent;
    return product;
  }
  // A pointer to an element; it is not checked.
  constexpr Pointer at(const sizes& index) const noexcept {
    std::size_t offset = 0;
    for (std::size_t d = 0; d < Rank; ++d) offset += index[d] * strides_[d];
    return first_ + static_cast<std::ptrdiff_t>(offset);
  }
  // The element, of a patch of the caller's memory.
  template <class... Index>
  requires(sizeof...(Index) == Rank && std::is_pointer_v<Pointer>) constexpr auto& operator()(
      Index... index) const noexcept {
    return *at({static_cast<std::size_t>(index)...});
  }
  // The part from `from`, of `extents` elements; it throws std::out_of_range where it would leave the patch.
  constexpr basic_patch sub(const sizes& from, const sizes& extents) const {
    for (std::size_t d = 0; d < Rank; ++d) {
      if (from[d] > extents_[d] || extents[d] > extents_[d] - from[d])
        throw std::out_of_range("comex::patch: outside");
    }
    return {at(from), extents, strides_};
  }

 private:
  Pointer first_;
  sizes extents_;
  sizes strides_{};
};

template <class T, std::size_t Rank>
using patch = basic_patch<T*, Rank>;
template <class T, std::size_t Rank>
using global_patch = basic_patch<global_ptr<T>, Rank>;

namespace detail {

inline constexpr std::size_t most_int = INT_MAX;

// Both sides of a transfer of patches: extents in elements, strides in bytes.
template <std::size_t Rank>
struct sides {
  std::array<std::size_t, Rank> extents;
  std::array<std::size_t, Rank> near;
  std::array<std::size_t, Rank> far;
  std::size_t element;

  // Whether the numbers of the dimension have to become smaller before a C call, which takes ints, can have
  // them. `most` is the largest one.
  constexpr bool is_too_large(std::size_t d, std::size_t most) const noexcept {
    return extents[d] > 1 && (near[d] > most || far[d] > most || extents[d] > most / element);
  }
  constexpr bool is_contiguous(std::size_t d) const noexcept {
    return extents[d] == 1 || (near[d] == element && far[d] == element);
  }
};

// The arguments of a strided C call. Its first level is a dimension that is contiguous on both sides, the
// last such, so that runs are long; else one element.
template <std::size_t Rank>
struct levels {
  std::array<int, Rank + 1> count{};
  std::array<int, Rank> near{};
  std::array<int, Rank> far{};
  int number = 0;

  constexpr explicit levels(const sides<Rank>& of) noexcept {
    std::size_t inner = Rank;
    for (std::size_t d = Rank; d-- > 0 && inner == Rank;) {
      if (of.extents[d] > 1 && of.is_contiguous(d)) inner = d;
    }
    count[0] = static_cast<int>(of.element * (inner == Rank ? 1 : of.extents[inner]));
    for (std::size_t d = Rank; d-- > 0;) {
      if (d == inner || of.extents[d] == 1) continue;
      const auto level = static_cast<std::size_t>(number++);
      near[level] = static_cast<int>(of.near[d]);
      far[level] = static_cast<int>(of.far[d]);
      count[level + 1] = static_cast<int>(of.extents[d]);
    }
  }
};

// The same for C calls that take wide numbers.
template <std::size_t Rank>
struct wide_levels {
  std::array<std::ptrdiff_t, Rank> near = {};
  std::array<std::ptrdiff_t, Rank> far = {};
  std::array<std::size_t, Rank + 1> count = {};
  int number;

  constexpr explicit wide_levels(const levels<Rank>& of) noexcept : number(of.number) {
    for (std::size_t i = 0; i < Rank; ++i) near[i] = of.near[i], far[i] = of.far[i];
    for (std::size_t i = 0; i <= Rank; ++i) count[i] = static_cast<std::size_t>(of.count[i]);
  }
};

// Calls move(sides, near offset, far offset in bytes) for parts whose numbers are at most `most`.
template <std::size_t Rank, class Move>
void in_parts(const sides<Rank>& of, std::size_t near, std::size_t far, std::size_t most, Move& move) {
  for (std::size_t d = 0; d < Rank; ++d) {
    if (!of.is_too_large(d, most)) continue;
    const std::size_t half = of.extents[d] / 2;
    sides<Rank> part = of;
    part.extents[d] = half;
    in_parts(part, near, far, most, move);
    part.extents[d] = of.extents[d] - half;
    in_parts(part, near + half * of.near[d], far + half * of.far[d], most, move);
    return;
  }
  move(of, near, far);
}

template <class T, class U, std::size_t Rank>
sides<Rank> both_sides(const patch<T, Rank>& near, const global_patch<U, Rank>& far) {
  if (near.extents() != far.extents())
    throw std::length_error("comex: the two sides of a transfer differ in their extents");
  sides<Rank> both{near.extents(), near.strides(), far.strides(), sizeof(T)};
  for (std::size_t d = 0; d < Rank; ++d) {
    both.near[d] *= sizeof(T);
    both.far[d] *= sizeof(T);
  }
  return both;
}

// call(levels, near address, far address) is a C call: for all parts, blocking or begun.
template <class T, class U, std::size_t Rank, class Call>
void for_all_parts(const patch<T, Rank>& near, const global_patch<U, Rank>& far, Call&& call) {
  const sides<Rank> both = both_sides(near, far);
  if (near.size() == 0) return;
  const auto move = [&](const sides<Rank>& part, std::size_t near_at, std::size_t far_at) {
    call(levels<Rank>(part), raw(near.first()) + near_at, raw(far.first().address()) + far_at);
  };
  in_parts(both, 0, 0, most_int, move);
}

// What a strided C call needs beside its levels and addresses.
struct there {
  int proc;
  comex_group_t group;
};
template <class T, std::size_t Rank>
call naming_patch(const char* name, const global_patch<T, Rank>& far) noexcept {
  return naming(name, far.first(), far.size() * sizeof(T));
}

template <class T, class U, std::size_t Rank, class Move>
void move_patch(const char* name, const patch<T, Rank>& near, const global_patch<U, Rank>& far, Move&& move) {
  const there to{far.first().rank(), far.first().group()};
  for_all_parts(near, far, [&](levels<Rank> of, char* near_at, char* far_at) {
    const int code = move(of, near_at, far_at, to);
    if (code != COMEX_SUCCESS) [[unlikely]]
      fail(naming_patch(name, far), code);
  });
}
template <class T, class U, std::size_t Rank, class Move>
future<> begin_patch(const char* name, const patch<T, Rank>& near, const global_patch<U, Rank>& far,
                     Move&& move) {
  const there to{far.first().rank(), far.first().group()};
  requests started(naming_patch(name, far));
  for_all_parts(near, far, [&](levels<Rank> of, char* near_at, char* far_at) {
    started.begin([&](comex_request_t* request) { return move(of, near_at, far_at, to, request); });
  });
  return future<>(std::move(started));
}

}  // namespace detail

// Both sides have the same extents, else std::length_error; strides are any. Elements that are written do not
// overlap. Completion and errors are those of the contiguous forms.

template <writable T, std::size_t Rank>
void put(std::type_identity_t<patch<const T, Rank>> from, global_patch<T, Rank> to) {
  detail::move_patch("puts", from, to, [](auto& of, char* near, char* far, const detail::there& there) {
    return comex_puts(near, of.near.data(), far, of.far.data(), of.count.data(), of.number, there.proc,
                      there.group);
  });
}
template <transferable T, std::size_t Rank>
void get(global_patch<T, Rank> from, std::type_identity_t<patch<std::remove_const_t<T>, Rank>> to) {
  detail::move_patch("gets", to, from, [](auto& of, char* near, char* far, const detail::there& there) {
    return comex_gets(far, of.far.data(), near, of.near.data(), of.count.data(), of.number, there.proc,
                      there.group);
  });
}
template <accumulable T, std::size_t Rank>
void accumulate(std::type_identity_t<patch<const T, Rank>> from, global_patch<T, Rank> to,
                std::type_identity_t<T> scale = 1) {
  detail::move_patch("accs", from, to, [&](auto& of, char* near, char* far, const detail::there& there) {
    return comex_accs(detail::accumulate_code<T>, &scale, near, of.near.data(), far, of.far.data(),
                      of.count.data(), of.number, there.proc, there.group);
  });
}

// Another operation than the scaled sum, as in accumulate<operation::max>(from, to).
template <operation how, accumulable T, std::size_t Rank>
requires combinable<T, how>
void accumulate(std::type_identity_t<patch<const T, Rank>> from, global_patch<T, Rank> to) {
  detail::move_patch("accs_op", from, to, [](auto& of, char* near, char* far, const detail::there& there) {
    const detail::wide_levels<Rank> wide(of);
    return comex_accs_op(static_cast<int>(how), detail::accumulate_code<T>, near, wide.near.data(), far,
                         wide.far.data(), wide.count.data(), wide.number, there.proc, there.group);
  });
}

template <writable T, std::size_t Rank>
future<> async_put(std::type_identity_t<patch<const T, Rank>> from, global_patch<T, Rank> to) {
  return detail::begin_patch("nbputs", from, to,
                             [](auto& of, char* near, char* far, auto& there, auto* request) {
                               return comex_nbputs(near, of.near.data(), far, of.far.data(), of.count.data(),
                                                   of.number, there.proc, there.group, request);
                             });
}
template <transferable T, std::size_t Rank>
future<> async_get(global_patch<T, Rank> from, std::type_identity_t<patch<std::remove_const_t<T>, Rank>> to) {
  return detail::begin_patch("nbgets", to, from,
                             [](auto& of, char* near, char* far, auto& there, auto* request) {
                               return comex_nbgets(far, of.far.data(), near, of.near.data(), of.count.data(),
                                                   of.number, there.proc, there.group, request);
                             });
}
template <accumulable T, std::size_t Rank>
future<> async_accumulate(std::type_identity_t<patch<const T, Rank>> from, global_patch<T, Rank> to,
                          std::type_identity_t<T> scale = 1) {
  return detail::begin_patch(
      "nbaccs", from, to, [&](auto& of, char* near, char* far, auto& there, auto* request) {
        return comex_nbaccs(detail::accumulate_code<T>, &scale, near, of.near.data(), far, of.far.data(),
                            of.count.data(), of.number, there.proc, there.group, request);
      });
}

template <operation how, accumulable T, std::size_t Rank>
requires combinable<T, how> future<> async_accumulate(std::type_identity_t<patch<const T, Rank>> from,
                                                      global_patch<T, Rank> to) {
  return detail::begin_patch(
      "nbaccs_op", from, to, [](auto& of, char* near, char* far, auto& there, auto* request) {
        const detail::wide_levels<Rank> wide(of);
        return comex_nbaccs_op(static_cast<int>(how), detail::accumulate_code<T>, near, wide.near.data(), far,
                               wide.far.data(), wide.count.data(), wide.number, there.proc, there.group,
                               request);
      });
}

}  // namespace comex
