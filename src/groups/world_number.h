// The number of a world among all that its launch ever opens.
//
// Pure. A world is named by three counts: which job of the launch it belongs to, its lowest rank in that job,
// and how many worlds this rank has opened. No two worlds have all three in common. Numbers are the places of
// these triples in the order of their products: each triple has one of its own, none is wasted, and many
// jobs, many ranks or many openings all fit into 24 bits, if not all at once. Used by world_identity.
#pragma once

#include <cstdint>
#include <optional>

namespace comex::groups {

struct WorldCounts {
  std::uint32_t job = 0;          // from 0, as all of these
  std::uint32_t lowest_rank = 0;  // in MPI_COMM_WORLD
  std::uint32_t opening = 0;      // worlds that this rank has opened before
};

inline constexpr std::uint32_t world_numbers = 1u << 24;
// Every triple has a number as long as (job + 1) * (lowest_rank + 1) * (opening + 1) is not above this.
inline constexpr std::uint32_t numbered_product = 199943;

// Empty: the place is beyond world_numbers.
std::optional<std::uint32_t> number_of(const WorldCounts& counts);

}  // namespace comex::groups
