// The MPI library that this process runs on, and what is known of it.
//
// It is chosen once, from the library's own version and COMEX_MPI_KNOWLEDGE, and may be asked before MPI
// starts.
#pragma once

#include "mpi/library.h"

namespace comex::runtime {

const mpi::Library& mpi_in_use();
// What this process's launcher tells it.
mpi::LaunchedProcess launched_process();
std::string mpi_version();          // the first line of what the library says of itself
std::string mpi_name_and_number();  // without what tells two builds of one version apart

}  // namespace comex::runtime
