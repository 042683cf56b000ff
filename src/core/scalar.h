// The element types that accumulates and atomic operations know, and what they do with them.
#pragma once

#include <cstdint>

namespace comex {

enum class Scalar : std::uint8_t {
  none,
  int32,           // COMEX_ACC_INT
  int64,           // COMEX_ACC_LNG
  float32,         // COMEX_ACC_FLT
  float64,         // COMEX_ACC_DBL
  complex_float,   // COMEX_ACC_CPL: two floats
  complex_double,  // COMEX_ACC_DCP: two doubles
};
inline constexpr unsigned scalar_kinds = 7;

constexpr unsigned scalar_bytes(Scalar scalar) {
  switch (scalar) {
    case Scalar::int32:
    case Scalar::float32:
      return 4;
    case Scalar::int64:
    case Scalar::float64:
    case Scalar::complex_float:
      return 8;
    case Scalar::complex_double:
      return 16;
    case Scalar::none:
      return 1;
  }
  return 1;
}

constexpr bool is_complex(Scalar scalar) {
  return scalar == Scalar::complex_float || scalar == Scalar::complex_double;
}
// The size of one number: a complex element has two.
constexpr unsigned number_bytes(Scalar scalar) {
  return is_complex(scalar) ? scalar_bytes(scalar) / 2 : scalar_bytes(scalar);
}

// What an accumulate does to each element of the far side with the near one. Only a sum is scaled.
enum class Combine : std::uint8_t { sum, least, most, product, replace, bit_and, bit_or, bit_xor };
inline constexpr unsigned combine_kinds = 8;

constexpr bool is_integer(Scalar scalar) {
  return scalar == Scalar::int32 || scalar == Scalar::int64;
}
constexpr bool can_combine(Combine combine, Scalar scalar) {
  if (combine >= Combine::bit_and) return is_integer(scalar);
  return scalar != Scalar::none &&
         !(is_complex(scalar) && (combine == Combine::least || combine == Combine::most));
}

// A scale factor as it travels: the bytes of one element of the scalar's type.
struct Scale {
  alignas(16) unsigned char bytes[16];
};

}  // namespace comex

namespace comex::protocol {

// The width of the word is told beside it. `_unsigned` and `_real` name the type where it matters; without
// them the word is signed.
enum class Atomic : std::uint8_t {
  swap,
  fetch_add,
  compare_swap,
  fetch_and,
  fetch_or,
  fetch_xor,
  fetch,
  fetch_least,
  fetch_most,
  fetch_least_unsigned,
  fetch_most_unsigned,
  fetch_least_real,
  fetch_most_real,
  fetch_add_real,
};
inline constexpr Atomic last_atomic = Atomic::fetch_add_real;

}  // namespace comex::protocol
