// Element-by-element operations of the messages: "+", "*", "max" and so on, over the five types.
//
// A value; made from what the program passed, which ends the job if it makes no sense. Used by gop and
// reduce.
#pragma once

#include <cstddef>
#include <string_view>

namespace comex::armci {

// What the program calls an operation, without the blanks that Fortran leaves behind it.
std::string_view operation_name(const char* op);
// Bytes of an element of an ARMCI_INT, ... type; an unknown type ends the job.
std::size_t type_bytes(int type);

class Reduction {
 public:
  using Prepare = void (*)(void*, std::size_t);
  using Combine = void (*)(void*, const void*, std::size_t);

  static Reduction of(const char* op, int type);
  Reduction(std::size_t width, Combine how, Prepare before = nullptr)
      : prepare_(before), combine_(how), element_bytes_(width) {}

  std::size_t element_bytes() const { return element_bytes_; }
  // What an operation does to every rank's values before they meet: absolute values for "absmax", "absmin".
  void prepare(void* x, std::size_t elements) const {
    if (prepare_ != nullptr) prepare_(x, elements);
  }
  void combine(void* into, const void* from, std::size_t elements) const { combine_(into, from, elements); }

 private:
  Prepare prepare_;
  Combine combine_;
  std::size_t element_bytes_;
};

}  // namespace comex::armci
