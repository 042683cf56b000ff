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

}  // namespace comex::shm
