// Turns C arguments into operations, with every check that does not depend on where the target lives.
//
// The functions are pure. A Failure says what is wrong and what is allowed; the C calls add rank, operation,
// target and address. Accumulated runs are cut to whole elements. Groups, ranks and codes are resolved
// before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/operation.h"
#include "core/status.h"
#include "op/function_ref.h"

namespace comex::op {

// The arguments that all layouts share. `scale` is one element of `scalar`; all behind the target are for
// accumulates only.
struct Arguments {
  Action action = Action::put;
  Worker target = 0;  // in its world
  Scalar scalar = Scalar::none;
  const void* scale = nullptr;
  Combine combine = Combine::sum;
};

// With int and int, or with std::ptrdiff_t and std::size_t.
template <class Stride, class Count>
struct StridedArguments {
  void* near = nullptr;
  const Stride* near_strides = nullptr;
  void* far = nullptr;
  const Stride* far_strides = nullptr;
  const Count* counts = nullptr;
  int levels = 0;
};

struct VectorArguments {
  void* const* near = nullptr;
  void* const* far = nullptr;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

// Sizes of the C calls as the functions take them. None that memory could have is above 63 bits.
constexpr std::int64_t size_of(int size) {
  return size;
}
constexpr std::int64_t size_of(std::size_t size) {
  return size < INT64_MAX ? static_cast<std::int64_t>(size) : INT64_MAX;
}

Result<Operation> validate(const Arguments& request, void* near, void* far, std::int64_t bytes);
template <class Stride, class Count>
Result<Operation> validate(const Arguments& request, const StridedArguments<Stride, Count>& arguments);
// What a vector call moves.
struct Scatters {
  std::vector<Scatter> scatters;
  std::unique_ptr<void*[]> joined;  // the addresses of descriptors of one segment, which may be joined
};
// Asks for `count` descriptors. Each that moves anything is a scatter, but neighbours of one segment each,
// all of one size, are one together. Segments may overlap on either side: of an element that a scatter names
// twice, one of the values stays.
Result<Scatters> validate(const Arguments& request, std::size_t count,
                          FunctionRef<VectorArguments(std::size_t)> descriptor);
// Returns the operation to do with each of them.
Operation vector_operation(const Arguments& request);

// The word: the address of the result belongs to the call.
Status validate(const AtomicOperation& operation);

}  // namespace comex::op
