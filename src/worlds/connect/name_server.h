// Which ompi-server tells this launch of others.
//
// `mpirun --ompi-server` takes its address or `file:PATH`, a file with the address, and hands on to its
// processes what was typed. Launches that name one server in different words have it in common, and those
// that name different files in the same words have not: the address counts. Used by meeting, which compares.
#pragma once

#include <string>

namespace comex::worlds {

// The address that these words stand for; the words themselves where no file says more.
std::string name_server_of(const std::string& words);
// The one that the launcher was given; empty: none.
std::string own_name_server();

}  // namespace comex::worlds
