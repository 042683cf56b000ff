// Decides which members of a group have the parts of kept memory, and which have their mirrors.
//
// It is pure, and all members come to the same answer. Part r is what rank r of the group of malloc_kept
// allocated. Its home is the member whose memory has it; its mirrors lie with members on other hosts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace comex::runtime {

inline constexpr std::uint32_t no_home = UINT32_MAX;

// `hosts` says on which host each member is.
std::uint32_t count_hosts(std::span<const std::uint32_t> hosts);

// The member with copy c of part r, at [r * copies + c]. The copies of a part lie on hosts of their own, and
// the parts of one host are spread over all others. There are more hosts than copies.
std::vector<std::uint32_t> choose_mirrors(std::span<const std::uint32_t> hosts,
                                          std::span<const std::uint32_t> homes, std::uint32_t copies);

// Gives each part without a home to one of the members that have the fewest parts.
void find_homes(std::span<std::uint32_t> homes, std::uint32_t members);

}  // namespace comex::runtime
