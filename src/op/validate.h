// Turns C arguments into operations, with every check that does not depend on where the target lives.
//
// The functions are pure. A Failure says what is wrong and what is allowed; the C calls add rank, operation,
// target and address. Accumulated runs are cut to whole elements. Groups, ranks and codes are resolved
// before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/operation.h"
#include "core/status.h"

namespace comex::op {

// The arguments that all layouts share. `scale` is one element of `scalar`; both are for accumulates only.
struct Arguments {
  Action action = Action::put;
  Worker target = 0;  // in its world
  Scalar scalar = Scalar::none;
  const void* scale = nullptr;
};

struct StridedArguments {
  void* near = nullptr;
  const int* near_strides = nullptr;
  void* far = nullptr;
  const int* far_strides = nullptr;
  const int* counts = nullptr;
  int levels = 0;
};

struct VectorArguments {
  void* const* near = nullptr;
  void* const* far = nullptr;
  int count = 0;
  int bytes = 0;
};

Result<Operation> validate(const Arguments& request, void* near, void* far, std::int64_t bytes);
Result<Operation> validate(const Arguments& request, const StridedArguments& arguments);
// Returns one operation for each descriptor that moves anything. Segments may overlap on either side: a
// scatter may name an element twice, and the last one stays.
Result<std::vector<Operation>> validate(const Arguments& request,
                                        std::span<const VectorArguments> descriptors);

// The word: the address of the result belongs to the call.
Status validate(const AtomicOperation& operation);

}  // namespace comex::op
