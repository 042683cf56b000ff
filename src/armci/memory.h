// Allocations over groups, which may be freed before the memory is.
#pragma once

#include <cstddef>

#include "flavour.h"

namespace comex::armci {

int allocate(void** ptr_arr, std::size_t bytes, comex_group_t group, const char* device);
// Frees the allocation whose own part this is; collective over its members. If the address is none, it is
// freed over the group of collectives, which refuses it unless it is NULL.
int release(void* own_part);
// For the group's end: keeps what is left of its memory by its members.
void keep_memory_of(comex_group_t group);

}  // namespace comex::armci
