// The number of a world among all that its launch ever opens.
//
// It is pure. Three counts identify a world: its job in the launch, its lowest rank in that job, and the
// number of worlds that this rank has opened before. No two worlds agree in all three. A world's number is
// the place of its triple in the order of products. So each triple has its own number, none is wasted, and
// many jobs, ranks or openings fit into 24 bits, though not all at once. Used by world_identity.
#pragma once

#include <cstdint>
#include <optional>

namespace comex::groups {

struct WorldCounts {
  std::uint32_t job = 0;          // all counts begin at 0
  std::uint32_t lowest_rank = 0;  // in MPI_COMM_WORLD
  std::uint32_t opening = 0;      // worlds that this rank has opened before
};

inline constexpr std::uint32_t world_numbers = 1u << 24;
// Every triple has a number if (job + 1) * (lowest_rank + 1) * (opening + 1) does not exceed this.
inline constexpr std::uint32_t numbered_product = 199943;

// Empty: the number would be beyond world_numbers.
std::optional<std::uint32_t> number_of(const WorldCounts& counts);

}  // namespace comex::groups
