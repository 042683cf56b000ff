// One validated operation as a value: what the caller asked for, after every check that can be
// made without knowing where the target lives. Made by op/validate, read by route, plan and the
// two executors. "near" is the origin's own memory, "far" the target's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ids.h"
#include "core/patch.h"
#include "core/protocol.h"
#include "core/scalar.h"
#include "core/scatter.h"

namespace comex {

enum class Action : std::uint8_t { put, get, acc };

struct Operation {
  Action action = Action::put;
  protocol::Layout layout = protocol::Layout::contiguous;
  protocol::Layout called =
      protocol::Layout::contiguous;  // of its call, which the line about a refusal names
  Scalar scalar = Scalar::none;      // acc only
  Scale scale{};                     // acc only
  Worker target = 0;                 // in its world
  std::byte* near = nullptr;         // contiguous and strided: first byte of the origin's side
  std::byte* far = nullptr;          // the address as the target knows it
  Patch patch{};                     // strided; contiguous is a patch of level 0
  Scatter scatter{};                 // vector; the address arrays belong to the caller
  bool is_blocking = true;           // its call, which the line about a refusal names
  const void* signal = nullptr;      // put: the far word that a store behind it sets; null: there is none
  std::uint32_t call = 0;  // vector: a number of the call it belongs to, so that a refusal is told once
};

// An accumulate's elements, and the factor that each is scaled by: one element at that address.
struct Scaling {
  Scalar scalar = Scalar::none;
  const void* factor = nullptr;
};

struct AtomicOperation {
  protocol::Atomic atomic = protocol::Atomic::swap;
  Scalar scalar = Scalar::int64;  // int32 or int64
  Worker target = 0;              // in its world
  std::byte* near = nullptr;      // receives the old value; compare_swap: {expected, desired}
  std::byte* far = nullptr;       // naturally aligned
  std::int64_t operand = 0;       // addend or mask
  bool is_blocking = true;        // as in Operation
};

}  // namespace comex
