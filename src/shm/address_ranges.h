// Where a mapping at a chosen address can succeed in this build: sanitizers keep much for themselves.
#pragma once

#include <vector>

#include "shm/os.h"

namespace comex::shm {

std::vector<AddressRange> usable_address_ranges();

}  // namespace comex::shm
