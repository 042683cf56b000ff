#include "shm/address_ranges.h"

namespace comex::shm {

#if defined(__SANITIZE_THREAD__)
// Thread sanitizer maps its shadow nearly everywhere and aborts on an address outside of these.
std::vector<AddressRange> usable_address_ranges() {
  return {{0x1000000000, 0x8000000000}, {0x7e8000000000, 0x7ec000000000}};
}
#else
// Above address sanitizer's shadow, below where programs and heaps are put.
std::vector<AddressRange> usable_address_ranges() {
  return {{0x200000000000, 0x540000000000}};
}
#endif

}  // namespace comex::shm
