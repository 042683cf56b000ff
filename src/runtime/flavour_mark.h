// The mark that an ARMCI library of this runtime leaves in a program.
//
// Both flavours define the strong symbol. So two static libraries fail to link. If shared ones meet, all use
// the first definition; the other library writes its name there, and ARMCI_Init refuses. The banner shows
// which one is loaded.
#pragma once

namespace comex::runtime {

struct FlavourMark {
  const char* name;
  const char* other;  // null, or the name of the second library
};

}  // namespace comex::runtime

extern "C" __attribute__((visibility("default"))) comex::runtime::FlavourMark comex_armci_flavour;
