// The dry run: how a job of given ranks and hosts would be split, drawn as text.
#pragma once

#include <string>
#include <vector>

#include "pr/setup/world_split.h"

namespace comex::info {

// For each rank its host. Blocks: 0 0 0 1 1; round-robin: 0 1 0 1 0.
std::vector<int> place_ranks(const std::vector<int>& ranks_on_host, bool round_robin);

std::string draw(const pr::WorldSplit& split, const Settings& settings);
std::string split_as_json(const pr::WorldSplit& split);

}  // namespace comex::info
