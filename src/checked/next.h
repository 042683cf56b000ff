// The functions that this library stands in front of, and whether a call comes from the runtime itself.
#pragma once

namespace comex::checker {

// The next definition of `name` behind this library. There is none if the program never linked it: then the
// process ends with a line.
void* next_symbol(const char* name);

template <auto Function>
auto* next(const char* name) {
  static const auto found = reinterpret_cast<decltype(Function)>(next_symbol(name));
  return found;
}

// True if the code at `address` is the runtime's, whose own messages make no order for the program.
bool is_runtime(const void* address);

// True if it is in the part of the ARMCI library that sends messages. Quick, unlike the next one.
bool is_in_armci_messages(const void* address);

// True if it is in a library named libarmci.
bool is_in_armci(const void* address);

}  // namespace comex::checker
