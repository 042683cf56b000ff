// Reads the process's environment, in one place only; also finds the files it was loaded from, watches for
// forked children, and asks about its output. Tests use a map as look-up instead
// (tests/support/map_lookup.h); both pass one conformance suite.
#pragma once

#include <string>
#include <vector>

#include "core/settings.h"

namespace comex::runtime {

Lookup environment_lookup();
std::vector<std::string> environment_names();  // names of all variables
// From now on, every forked child makes this call before anything else runs there.
void call_in_forked_children(void (*call)());
// The file of the library or program that contains the address.
std::string file_of(const void* address);
// True if standard error is a pipe that holds what nobody has read yet.
bool is_stderr_unread();

}  // namespace comex::runtime
