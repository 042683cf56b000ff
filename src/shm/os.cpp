#include "shm/os.h"

#include <utility>

namespace comex::shm {

Object& Object::operator=(Object&& other) noexcept {
  if (this != &other) {
    close();
    os_ = other.os_;
    descriptor_ = std::exchange(other.descriptor_, -1);
    backing_ = other.backing_;
  }
  return *this;
}

void Object::close() {
  if (descriptor_ >= 0) os_->close_object(std::exchange(descriptor_, -1));
}

#if defined(__x86_64__) || defined(__i386__)
void cpu_relax() {
  __builtin_ia32_pause();
}
#elif defined(__aarch64__)
void cpu_relax() {
  asm volatile("yield");
}
#else
void cpu_relax() {}
#endif

#if defined(__SANITIZE_THREAD__)
// Thread sanitizer maps its shadow nearly everywhere and aborts on an address outside of these ranges.
std::vector<AddressRange> usable_address_ranges() {
  return {{0x1000000000, 0x8000000000}, {0x7e8000000000, 0x7ec000000000}};
}
#elif defined(__x86_64__)
// The range lies above address sanitizer's shadow and below the usual place of programs and heaps.
std::vector<AddressRange> usable_address_ranges() {
  return {{0x200000000000, 0x540000000000}};
}
#else
// The second range is for kernels whose user addresses have 39 or 42 bits.
std::vector<AddressRange> usable_address_ranges() {
  return {{0x200000000000, 0x540000000000}, {0x1000000000, 0x4000000000}};
}
#endif

}  // namespace comex::shm
