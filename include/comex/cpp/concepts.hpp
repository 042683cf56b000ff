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

template <class T>
inline constexpr int integer_type = (std::is_signed_v<T> ? COMEX_TYPE_INT32 : COMEX_TYPE_UINT32) +
                                    (sizeof(T) == 8 ? 1 : 0);
template <class T>
inline constexpr int word_type = 0;
template <>
inline constexpr int word_type<int> = integer_type<int>;
template <>
inline constexpr int word_type<unsigned> = integer_type<unsigned>;
template <>
inline constexpr int word_type<long> = integer_type<long>;
template <>
inline constexpr int word_type<unsigned long> = integer_type<unsigned long>;
template <>
inline constexpr int word_type<long long> = integer_type<long long>;
template <>
inline constexpr int word_type<unsigned long long> = integer_type<unsigned long long>;
template <>
inline constexpr int word_type<float> = COMEX_TYPE_FLOAT;
template <>
inline constexpr int word_type<double> = COMEX_TYPE_DOUBLE;

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

// A word that atomic operations take, not const: an int, long or long long, signed or not, float or double.
template <class T>
concept atomic_word = (detail::word_type<T> != 0);

// Those that have bits to change.
template <class T>
concept atomic_integer = atomic_word<T> && std::is_integral_v<T>;

// What an accumulate does to each element: with that of the source.
enum class operation : int {
  sum = COMEX_OP_SUM,
  min = COMEX_OP_MIN,
  max = COMEX_OP_MAX,
  product = COMEX_OP_PROD,
  replace = COMEX_OP_REPLACE,
  bit_and = COMEX_OP_AND,
  bit_or = COMEX_OP_OR,
  bit_xor = COMEX_OP_XOR,
};

// min and max are not for complex numbers, the bits of int and long only.
template <class T, operation how>
concept combinable = accumulable<T> &&
    (std::is_integral_v<T> ||
     (how != operation::bit_and && how != operation::bit_or && how != operation::bit_xor &&
      (std::is_floating_point_v<T> || (how != operation::min && how != operation::max))));

}  // namespace comex
