// One validated operation as a value. It holds what the caller asked for, after every check that needs no
// knowledge of where the target lives. op/validate makes it; route, plan and the direct and remote executors
// read it. "near" is the origin's own memory, "far" is the target's.
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
      protocol::Layout::contiguous;  // layout of the program's call, for the line about a refusal
  Scalar scalar = Scalar::none;      // acc only
  Combine combine = Combine::sum;    // acc only
  Scale scale{};                     // of a sum
  Worker target = 0;                 // worker number in its world
  std::byte* near = nullptr;         // contiguous and strided: first byte of the origin's side
  std::byte* far = nullptr;          // the address as the target knows it
  Patch patch{};                     // strided; contiguous is a patch of level 0
  Scatter scatter{};                 // vector; the address arrays belong to the caller
  bool is_blocking = true;           // kind of the program's call, for the line about a refusal
  const void* signal = nullptr;      // put: the far word that a store sets after the data; null: no signal
  std::uint32_t call = 0;  // vector: number of the program's call, so that a refusal is reported once
};

// An accumulate's elements, and the factor that each is scaled by: one element at that address.
struct Scaling {
  Scalar scalar = Scalar::none;
  const void* factor = nullptr;
  Combine combine = Combine::sum;
};

struct AtomicOperation {
  protocol::Atomic atomic = protocol::Atomic::swap;
  Scalar scalar = Scalar::int64;  // int32 or int64, which stands for every type of that width
  Worker target = 0;              // in its world
  std::byte* near = nullptr;      // receives the old value; null: nobody wants it
  std::byte* far = nullptr;       // naturally aligned
  std::uint64_t operand = 0;      // bits of the addend, mask, bound, new value, or what compare_swap expects
  std::uint64_t desired = 0;      // compare_swap
  bool is_blocking = true;        // as in Operation
};

}  // namespace comex
