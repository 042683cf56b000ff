// Refuses the two flavours in one program, because their types and codes differ.
#pragma once

#include "runtime/facade.h"

namespace comex::armci {

// Returns null, or the name of another flavour in this program.
const char* other_flavour();

}  // namespace comex::armci
