// The accumulate loops, written once and compiled once for each instruction set.
//
// Each including file gets its own copy: everything is in an unnamed namespace and calls nothing outside. If
// files for different processors shared a function, the linker would keep any one of its versions. For the
// same reason, memcpy is the builtin, and what they share with others is always inlined.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/scalar.h"
#include "kernels/accumulate.h"
#include "kernels/extremes.h"

namespace comex::kernels {
namespace {

template <class T>
inline T load(const void* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
inline void store(void* to, T value) {
  __builtin_memcpy(to, &value, sizeof(T));
}

// Unsigned types for integers, which wrap.
template <class T>
inline void add_scaled(std::byte* far, const std::byte* near, std::uint64_t elements, T scale) {
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::uint64_t at = i * sizeof(T);
    store<T>(far + at, load<T>(far + at) + scale * load<T>(near + at));
  }
}

// The loop without a multiplication. The multiplication is slow only where vectors cannot multiply 64-bit
// integers; leaving it out changes no bit of integers.
template <class T>
inline void add_plain(std::byte* far, const std::byte* near, std::uint64_t elements) {
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::uint64_t at = i * sizeof(T);
    store<T>(far + at, load<T>(far + at) + load<T>(near + at));
  }
}

template <class T>
void add_integers(std::byte* far, const std::byte* near, std::uint64_t bytes, const Scale& scale) {
  const T factor = load<T>(scale.bytes);
  if (factor == 1) {
    add_plain<T>(far, near, bytes / sizeof(T));
  } else {
    add_scaled<T>(far, near, bytes / sizeof(T), factor);
  }
}

template <class T>
void add_reals(std::byte* far, const std::byte* near, std::uint64_t bytes, const Scale& scale) {
  add_scaled<T>(far, near, bytes / sizeof(T), load<T>(scale.bytes));
}

// A scale of 1 is left out, so that parts which are infinite stay so. Else it is the plain formula, also for
// infinities: (a + bi)(c + di) = (ac - bd) + (ad + bc)i. The minus sign is applied to d. This changes no bit
// but prevents gcc 12 from using fused multiply-addsub vectors, which it does for the other form even with
// contraction off.
template <class T>
void add_complex(std::byte* far, const std::byte* near, std::uint64_t bytes, const Scale& scale) {
  const T c = load<T>(scale.bytes);
  const T d = load<T>(scale.bytes + sizeof(T));
  const T minus_d = -d;
  const std::uint64_t elements = bytes / (2 * sizeof(T));
  if (c == 1 && d == 0) return add_plain<T>(far, near, 2 * elements);
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::uint64_t at = 2 * i * sizeof(T);
    const T a = load<T>(near + at);
    const T b = load<T>(near + at + sizeof(T));
    store<T>(far + at, load<T>(far + at) + (a * c + b * minus_d));
    store<T>(far + at + sizeof(T), load<T>(far + at + sizeof(T)) + (a * d + b * c));
  }
}

// The combinations that are not scaled.
constexpr auto least = [](auto far, auto near) { return lesser(far, near); };
constexpr auto most = [](auto far, auto near) { return greater(far, near); };
constexpr auto product = [](auto far, auto near) { return far * near; };
constexpr auto replacement = [](auto, auto near) { return near; };
constexpr auto bit_and = [](auto far, auto near) { return far & near; };
constexpr auto bit_or = [](auto far, auto near) { return far | near; };
constexpr auto bit_xor = [](auto far, auto near) { return far ^ near; };

template <const auto& how, class T>
void combine_each(std::byte* far, const std::byte* near, std::uint64_t bytes, const Scale&) {
  const std::uint64_t elements = bytes / sizeof(T);
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::uint64_t at = i * sizeof(T);
    store<T>(far + at, static_cast<T>(how(load<T>(far + at), load<T>(near + at))));
  }
}

// As in add_complex.
template <class T>
void multiply_complex(std::byte* far, const std::byte* near, std::uint64_t bytes, const Scale&) {
  const std::uint64_t elements = bytes / (2 * sizeof(T));
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::uint64_t at = 2 * i * sizeof(T);
    const T a = load<T>(far + at);
    const T b = load<T>(far + at + sizeof(T));
    const T c = load<T>(near + at);
    const T d = load<T>(near + at + sizeof(T));
    const T minus_d = -d;
    store<T>(far + at, a * c + b * minus_d);
    store<T>(far + at + sizeof(T), a * d + b * c);
  }
}

// The loop is inside, so that values common to all rows are read once.
template <AccumulateFn run>
[[gnu::flatten]] void add_rows(std::byte* far, std::int64_t far_stride, const std::byte* near,
                               std::int64_t near_stride, std::uint64_t bytes, std::uint64_t count,
                               const Scale& scale) {
  for (; count != 0; --count, far += far_stride, near += near_stride) run(far, near, bytes, scale);
}

template <AccumulateFn run>
constexpr AccumulateKernel both = {run, add_rows<run>};

struct Pair {  // of the largest scalar
  std::uint64_t first;
  std::uint64_t second;
};

template <const auto& how, class T>
constexpr AccumulateKernel each = both<combine_each<how, T>>;

constexpr AccumulateTable table = {{
    // Combine::sum
    {{},
     both<add_integers<std::uint32_t>>,
     both<add_integers<std::uint64_t>>,
     both<add_reals<float>>,
     both<add_reals<double>>,
     both<add_complex<float>>,
     both<add_complex<double>>},
    // Combine::least
    {{}, each<least, std::int32_t>, each<least, std::int64_t>, each<least, float>, each<least, double>},
    // Combine::most
    {{}, each<most, std::int32_t>, each<most, std::int64_t>, each<most, float>, each<most, double>},
    // Combine::product
    {{},
     each<product, std::uint32_t>,
     each<product, std::uint64_t>,
     each<product, float>,
     each<product, double>,
     both<multiply_complex<float>>,
     both<multiply_complex<double>>},
    // Combine::replace
    {{},
     each<replacement, std::uint32_t>,
     each<replacement, std::uint64_t>,
     each<replacement, std::uint32_t>,
     each<replacement, std::uint64_t>,
     each<replacement, std::uint64_t>,
     each<replacement, Pair>},
    // Combine::bit_and, Combine::bit_or, Combine::bit_xor
    {{}, each<bit_and, std::uint32_t>, each<bit_and, std::uint64_t>},
    {{}, each<bit_or, std::uint32_t>, each<bit_or, std::uint64_t>},
    {{}, each<bit_xor, std::uint32_t>, each<bit_xor, std::uint64_t>},
}};

}  // namespace
}  // namespace comex::kernels
