// The address ranges in which this build can map at a chosen address. Sanitizers reserve much of the rest.
#pragma once

#include <vector>

#include "shm/os.h"

namespace comex::shm {

std::vector<AddressRange> usable_address_ranges();

}  // namespace comex::shm
