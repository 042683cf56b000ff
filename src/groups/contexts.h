// Makes the numbers that identify groups and allocations over groups.
//
// It is pure. A context has 38 bits, and the id of an allocation has 26 more: at 100 allocations a second
// they last a week. The lower half of the contexts is for groups within a world: each worker counts its own
// groups in steps, so that no two get one number, for any number of workers. The upper half is for groups
// that may span worlds, whose workers would count the same numbers; these are drawn at random. When the
// numbers are used up, there is no result. Used by calls and runtime.
#pragma once

#include <cstdint>
#include <optional>

namespace comex::groups {

inline constexpr std::uint64_t first_drawn_context = std::uint64_t{1} << 37;
inline constexpr std::uint64_t first_made_context = 16;  // lower ones: the world, the self group and others
inline constexpr unsigned allocation_bits = 26;

// The number of groups that each of so many workers can number.
constexpr std::uint64_t most_made_contexts(std::uint32_t workers) {
  return (first_drawn_context - first_made_context) / workers;
}
// The context of the nth group, from 0, that worker `me` numbers.
constexpr std::optional<std::uint64_t> made_context(std::uint32_t workers, std::uint32_t me,
                                                    std::uint64_t nth) {
  if (nth >= most_made_contexts(workers)) return std::nullopt;
  return first_made_context + nth * workers + me;
}
constexpr std::uint64_t drawn_context(std::uint64_t random_bits) {
  return first_drawn_context | (random_bits >> 27);
}

// The id of the nth allocation, from 1, over a group.
constexpr std::optional<std::uint64_t> allocation_id(std::uint64_t context, std::uint64_t nth) {
  if (nth >> allocation_bits != 0) return std::nullopt;
  return context << allocation_bits | nth;
}
// The n of an allocation over this group; none if it is of another group.
constexpr std::optional<std::uint64_t> nth_allocation(std::uint64_t context, std::uint64_t id) {
  if (id >> allocation_bits != context) return std::nullopt;
  return id & ((std::uint64_t{1} << allocation_bits) - 1);
}

}  // namespace comex::groups
