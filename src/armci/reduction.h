// The element-by-element operations of messages: "+", "*", "max" and so on, over the five types.
//
// It is a value, made from the program's arguments; invalid ones end the job. Used by gop and reduce.
#pragma once

#include <cstddef>
#include <string>

namespace comex::armci {

enum class ReduceOp { sum, product, max, min, absmax, absmin, bit_or, bit_and, truth_or, truth_and, unknown };

// A name ends where the known name ends, whatever follows, because Fortran literals and single characters are
// not terminated. It reads no byte beyond those that distinguish the names.
ReduceOp operation_named(const char* op);
// The first characters of a wrong name, for its error line.
std::string first_of_name(const char* op);
// The bytes of an element of a type such as ARMCI_INT; an unknown type ends the job.
std::size_t type_bytes(int type);

class Reduction {
 public:
  using Prepare = void (*)(void*, std::size_t);
  using CombineFunction = void (*)(void*, const void*, std::size_t);

  static Reduction of(const char* op, int type);
  Reduction(std::size_t width, CombineFunction how, Prepare before = nullptr)
      : prepare_(before), combine_(how), element_bytes_(width) {}

  std::size_t element_bytes() const { return element_bytes_; }
  // Changes every rank's values once before they are combined: to absolute values for "absmax" and "absmin",
  // to 0 or 1 for the operations of truth.
  void prepare(void* x, std::size_t elements) const {
    if (prepare_ != nullptr) prepare_(x, elements);
  }
  bool prepares() const { return prepare_ != nullptr; }
  void combine(void* into, const void* from, std::size_t elements) const { combine_(into, from, elements); }

 private:
  Prepare prepare_;
  CombineFunction combine_;
  std::size_t element_bytes_;
};

}  // namespace comex::armci
