// Decides whether a request may start while earlier requests of the same origin are unfinished.
//
// The functions are pure. They promise that a program sees its own operations on a target in program order,
// and that a request that publishes (inline put, rmw, store, release, fence) takes effect after every earlier
// write. Ranges are bounding ranges, so a conflict may be false. Used for the queues of origins.
#pragma once

#include <cstdint>

#include "core/ids.h"
#include "core/protocol.h"
#include "core/scalar.h"

namespace comex::pr {

// What a request touches, as far as its order is concerned.
struct Footprint {
  protocol::Verb verb = protocol::Verb::fence;
  bool is_inline = false;  // the body came with the message
  Scalar scalar = Scalar::none;
  bool many_targets = false;  // a batch to several targets; nothing overtakes it
  Worker target = 0;
  std::uint64_t low = 0;  // [low, high) of the arena; empty: touches nothing
  std::uint64_t high = 0;
  Combine combine = Combine::sum;  // acc
  std::uint64_t offset_bits =
      0;  // acc: those that are set in the first offset, a stride, or the offset of any segment
};

// The range may be any that a program asked for, so the sum may overflow.
constexpr std::uint64_t saturated_end(std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t end = 0;
  return __builtin_add_overflow(offset, bytes, &end) ? UINT64_MAX : end;
}

constexpr bool changes_memory(protocol::Verb verb) {
  return protocol::is_write(verb) || verb == protocol::Verb::rmw;
}

constexpr bool overlap(const Footprint& a, const Footprint& b) {
  return a.low < b.high && b.low < a.high;
}

bool may_start_beside(const Footprint& earlier, const Footprint& later);

}  // namespace comex::pr
