// Keeps the two flavours out of one program: their types and codes differ.
//
// Both define the strong symbol comex_armci_flavour. Two static libraries then fail at link; where shared
// ones meet, all see the first one's definition, the other notes its name there, and init refuses.
#pragma once

namespace comex::armci {

struct FlavourMark {
  const char* name;
  const char* other;  // null, or the second one's name
};

// Null, or the name of another flavour in this program.
const char* other_flavour();

}  // namespace comex::armci

extern "C" __attribute__((visibility("default"))) comex::armci::FlavourMark comex_armci_flavour;
