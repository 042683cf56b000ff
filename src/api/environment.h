// The process's environment, read in one place. The other implementation of the seam is a map, for tests
// (tests/support/map_lookup.h). Both pass one conformance suite.
#pragma once

#include <string>
#include <vector>

#include "core/settings.h"

namespace comex::api {

Lookup environment_lookup();
std::vector<std::string> environment_names();  // of all variables

}  // namespace comex::api
