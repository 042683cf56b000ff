// The element-by-element operations of messages: "+", "*", "max" and so on, over the five types.
//
// It is a value, made from the program's arguments; invalid ones end the job. Used by gop and reduce.
#pragma once

#include <cstddef>
#include <string>

#include "flavour.h"

namespace comex::armci {

enum class ReduceOp { sum, product, max, min, absmax, absmin, bit_or, bit_and, truth_or, truth_and, unknown };

// A name ends where the known name ends, whatever follows, because Fortran literals and single characters are
// not terminated. It reads no byte beyond those that distinguish the names.
ReduceOp operation_named(const char* op);
// The first characters of a wrong name, for its error line.
std::string first_of_name(const char* op);
// Ends the job: arguments of a collective are invalid.
[[noreturn]] void refuse(const std::string& what);

// use(element) with a value of a type such as ARMCI_INT; an unknown one ends the job.
template <class Use>
auto with_type(int type, const Use& use) {
  switch (type) {
    case ARMCI_INT:
      return use(0);
    case ARMCI_LONG:
      return use(0L);
    case ARMCI_LONG_LONG:
      return use(0LL);
    case ARMCI_FLOAT:
      return use(0.0F);
    case ARMCI_DOUBLE:
      return use(0.0);
    default:
      refuse("a collective's element type " + std::to_string(type) + " is unknown");
  }
}

class Reduction {
 public:
  using CombineFunction = void (*)(void*, const void*, std::size_t);

  static Reduction of(const char* op, int type);
  Reduction(std::size_t width, CombineFunction how, CombineFunction before = nullptr)
      : prepare_(before), combine_(how), element_bytes_(width) {}

  std::size_t element_bytes() const { return element_bytes_; }
  // Changes every rank's values once before they are combined: to absolute values for "absmax" and "absmin",
  // to 0 or 1 for the operations of truth.
  void prepare(void* x, std::size_t elements) const {
    if (prepare_ != nullptr) prepare_(x, x, elements);
  }
  bool prepares() const { return prepare_ != nullptr; }
  void combine(void* into, const void* from, std::size_t elements) const { combine_(into, from, elements); }

 private:
  CombineFunction prepare_;  // of values with themselves
  CombineFunction combine_;
  std::size_t element_bytes_;
};

}  // namespace comex::armci
