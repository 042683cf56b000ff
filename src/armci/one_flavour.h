// Keeps the two flavours out of one program: their types and codes differ.
#pragma once

#include "runtime/flavour_mark.h"

namespace comex::armci {

// Null, or the name of another flavour in this program.
const char* other_flavour();

}  // namespace comex::armci
