// Large pages for the arena, which no mount option and no setting of the machine has to allow.
#pragma once

#include <cstdint>

namespace comex::shm {

// Of this machine's shared memory; 0: it has none.
std::uint64_t large_page_bytes();

// Makes large pages of `large` bytes of what is empty in [offset, offset + bytes) of the object, as long as
// the kernel gives them; a page or so of what it refused may exist then. Never fails, and touches nothing
// that exists.
void make_large_pages(int descriptor, std::uint64_t offset, std::uint64_t bytes, std::uint64_t large);

}  // namespace comex::shm
