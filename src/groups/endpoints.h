// Several ranks of one process in one group, each driven by a thread of its own.
//
// An endpoint is (process, endpoint id), whatever its rank in a group. Id 0 is the process itself, which it
// is in every group made without endpoints. Each process numbers its ids and never reuses one. Endpoints is a
// value, shared by the handles of a group and its duplicates. Used by Group, compare and the calls that make
// groups.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace comex::groups {

inline constexpr std::uint32_t process_itself = 0;

class Endpoints {
 public:
  Endpoints() = default;  // no process has more than one rank
  explicit Endpoints(std::vector<std::uint32_t> by_rank)
      : by_rank_(std::make_shared<const std::vector<std::uint32_t>>(std::move(by_rank))) {}

  explicit operator bool() const { return by_rank_ != nullptr; }
  std::uint32_t of(std::uint32_t rank) const { return by_rank_ ? (*by_rank_)[rank] : process_itself; }
  // The endpoints of some ranks.
  Endpoints subset(std::span<const std::uint32_t> ranks) const;

 private:
  std::shared_ptr<const std::vector<std::uint32_t>> by_rank_;
};

// What each member of the parent requests when a group of endpoints is made. Travels as bytes.
struct EndpointArguments {
  std::uint32_t count = 0;
  std::uint32_t first_id = 0;  // first id of its new endpoints
};
static_assert(sizeof(EndpointArguments) == 8);

// The new group: the parent's members in their order, each as often as requested, with ascending ids.
struct EndpointLayout {
  std::vector<Lpid> members;
  std::vector<std::uint32_t> ids;
  std::uint32_t first_rank = 0;  // of the caller's endpoints
};
EndpointLayout lay_out_endpoints(std::span<const Lpid> parents,
                                 std::span<const EndpointArguments> all_arguments, std::uint32_t my_rank);

}  // namespace comex::groups
