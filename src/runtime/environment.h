// What the process runs in: its environment, read in one place only; the MPI library and its launcher, and
// what is known of them; the files it was loaded from, its forked children and its output. Tests use a map as
// look-up instead (tests/support/map_lookup.h); both pass one conformance suite.
#pragma once

#include <string>
#include <vector>

#include "core/settings.h"
#include "mpi/library.h"

namespace comex::runtime {

Lookup environment_lookup();
std::vector<std::string> environment_names();  // names of all variables
// From now on, every forked child makes this call before anything else runs there.
void call_in_forked_children(void (*call)());
// The file of the library or program that contains the address.
std::string file_of(const void* address);
// True if standard error is a pipe that holds what nobody has read yet.
bool is_stderr_unread();

// The MPI library in use. It is chosen once, from the library's own version and COMEX_MPI_KNOWLEDGE, and may
// be asked before MPI starts.
const mpi::Library& mpi_in_use();
// What this process's launcher tells it.
mpi::LaunchedProcess launched_process();
std::string mpi_version();          // the first line of what the library says of itself
std::string mpi_name_and_number();  // without what tells two builds of one version apart

}  // namespace comex::runtime
