// The mark that an ARMCI library of this runtime leaves in a program: both flavours define the strong symbol.
//
// Two static libraries then fail at link; where shared ones meet, all see the first one's definition, the
// other notes its name there, and ARMCI_Init refuses. The banner tells which one is in.
#pragma once

namespace comex::runtime {

struct FlavourMark {
  const char* name;
  const char* other;  // null, or the second one's name
};

}  // namespace comex::runtime

extern "C" __attribute__((visibility("default"))) comex::runtime::FlavourMark comex_armci_flavour;
