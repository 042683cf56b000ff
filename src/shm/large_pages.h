// Large pages for the arena, which no mount option and no setting of the machine has to allow.
#pragma once

#include <cstdint>

namespace comex::shm {

// Of this machine's shared memory; 0: it has none.
std::uint64_t large_page_bytes();

// Makes the large pages of `large` > 0 bytes that lie wholly in [offset, offset + bytes) of the object, which
// keeps what is there. False: the kernel has no more; a small page of each that it refused may exist then,
// and the object may be as long as the last.
bool make_large_pages(int descriptor, std::uint64_t offset, std::uint64_t bytes, std::uint64_t large);

}  // namespace comex::shm
