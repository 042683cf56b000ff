#include "shm/address_ranges.h"

namespace comex::shm {

#if defined(__SANITIZE_THREAD__)
// Thread sanitizer maps its shadow nearly everywhere and aborts on an address outside of these ranges.
std::vector<AddressRange> usable_address_ranges() {
  return {{0x1000000000, 0x8000000000}, {0x7e8000000000, 0x7ec000000000}};
}
#else
// The range lies above address sanitizer's shadow and below the usual place of programs and heaps.
std::vector<AddressRange> usable_address_ranges() {
  return {{0x200000000000, 0x540000000000}};
}
#endif

}  // namespace comex::shm
