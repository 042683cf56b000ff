// The lesser and the greater of two values, for atomic operations and accumulates alike.
//
// A number wins over a NaN. Values that compare as equal, as zeros of both signs do, leave the old one. They
// are inlined everywhere, since the accumulate loops may call nothing outside.
#pragma once

namespace comex::kernels {

template <class T>
[[gnu::always_inline]] constexpr T lesser(T old, T value) {
  return value < old || old != old ? value : old;
}
template <class T>
[[gnu::always_inline]] constexpr T greater(T old, T value) {
  return value > old || old != old ? value : old;
}

}  // namespace comex::kernels
