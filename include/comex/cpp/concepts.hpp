// Which types the operations take. Included by comex.hpp.
#pragma once

#include <comex/comex.h>

#include <complex>
#include <type_traits>

namespace comex {

namespace detail {

template <class T>
inline constexpr int accumulate_code = 0;
template <>
inline constexpr int accumulate_code<int> = COMEX_ACC_INT;
template <>
inline constexpr int accumulate_code<long> = COMEX_ACC_LNG;
template <>
inline constexpr int accumulate_code<float> = COMEX_ACC_FLT;
template <>
inline constexpr int accumulate_code<double> = COMEX_ACC_DBL;
template <>
inline constexpr int accumulate_code<std::complex<float>> = COMEX_ACC_CPL;
template <>
inline constexpr int accumulate_code<std::complex<double>> = COMEX_ACC_DCP;

}  // namespace detail

// A type whose value is its bytes, so that another process can have a copy of them. Pointers inside are
// copied as they are: they mean the same on the ranks of one host only.
template <class T>
concept transferable = std::is_object_v<T> && !std::is_volatile_v<T> && std::is_trivially_copyable_v<T>;

// A transferable type that may be written: what put takes, and what a get is read into.
template <class T>
concept writable = transferable<T> && !std::is_const_v<T>;

// int, long, float, double, std::complex<float> or std::complex<double>, and not const.
template <class T>
concept accumulable = (detail::accumulate_code<T> != 0);

// int or long, and not const: a word that read-modify-write takes.
template <class T>
concept atomic_word = std::is_same_v<T, int> || std::is_same_v<T, long>;

}  // namespace comex
