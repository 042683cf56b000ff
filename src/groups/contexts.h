// The numbers that tell groups apart, and allocations over groups.
//
// Pure. A context has 40 bits and an allocation's id 24 more. The lower half of the contexts goes to groups
// within a world: the workers count their own groups in turn, so that no two get one number, however many
// workers there are. The upper half is for groups that may span worlds, whose workers count the same numbers:
// drawn at random. Where the numbers end there is none, rather than somebody else's. Used by runtime.
#pragma once

#include <cstdint>
#include <optional>

namespace comex::groups {

inline constexpr std::uint64_t first_drawn_context = std::uint64_t{1} << 39;
inline constexpr std::uint64_t first_made_context = 16;  // below are the world's, the self group's and so on
inline constexpr unsigned allocation_bits = 24;

// How many groups each of so many workers can number.
constexpr std::uint64_t most_made_contexts(std::uint32_t workers) {
  return (first_drawn_context - first_made_context) / workers;
}
// Of the nth group, from 0, that worker `me` numbers.
constexpr std::optional<std::uint64_t> made_context(std::uint32_t workers, std::uint32_t me,
                                                    std::uint64_t nth) {
  if (nth >= most_made_contexts(workers)) return std::nullopt;
  return first_made_context + nth * workers + me;
}
constexpr std::uint64_t drawn_context(std::uint64_t random_bits) {
  return first_drawn_context | (random_bits >> 25);
}

// Of the nth allocation, from 1, over a group.
constexpr std::optional<std::uint64_t> allocation_id(std::uint64_t context, std::uint64_t nth) {
  if (nth >> allocation_bits != 0) return std::nullopt;
  return context << allocation_bits | nth;
}
// Which allocation over the group it is; none: of another group.
constexpr std::optional<std::uint64_t> nth_allocation(std::uint64_t context, std::uint64_t id) {
  if (id >> allocation_bits != context) return std::nullopt;
  return id & ((std::uint64_t{1} << allocation_bits) - 1);
}

}  // namespace comex::groups
