// The process's environment, read in one place, the files it was loaded from, and its forked children. The
// other implementation of the look-up is a map, for tests (tests/support/map_lookup.h). Both pass one
// conformance suite.
#pragma once

#include <string>
#include <vector>

#include "core/settings.h"

namespace comex::runtime {

Lookup environment_lookup();
std::vector<std::string> environment_names();  // of all variables
// The call is made in every child that is forked from now on, before anything else runs there.
void call_in_forked_children(void (*call)());
// The library, or the program, that holds what is at the address.
std::string file_of(const void* address);

}  // namespace comex::runtime
