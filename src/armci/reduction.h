// Element-by-element operations of the messages: "+", "*", "max" and so on, over the five types.
//
// A value; made from what the program passed, which ends the job if it makes no sense. Used by gop and
// reduce.
#pragma once

#include <cstddef>
#include <string>

namespace comex::armci {

enum class Operation {
  sum,
  product,
  max,
  min,
  absmax,
  absmin,
  bit_or,
  bit_and,
  truth_or,
  truth_and,
  unknown
};

// A name ends where the known name ends, whatever follows: Fortran literals and single characters are not
// terminated. No byte is read beyond what tells the names apart.
Operation operation_named(const char* op);
// The first characters of a name that is wrong, for its error line.
std::string first_of_name(const char* op);
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
  // What an operation does to every rank's values, once, before they meet: absolute values for "absmax" and
  // "absmin".
  void prepare(void* x, std::size_t elements) const {
    if (prepare_ != nullptr) prepare_(x, elements);
  }
  bool prepares() const { return prepare_ != nullptr; }
  void combine(void* into, const void* from, std::size_t elements) const { combine_(into, from, elements); }

 private:
  Prepare prepare_;
  Combine combine_;
  std::size_t element_bytes_;
};

}  // namespace comex::armci
