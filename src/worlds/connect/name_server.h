// Finds the name server by which this launch learns of others.
//
// The launcher takes its address or `file:PATH`, a file with the address, and passes the argument unchanged
// to its processes. Two launches may name one server differently, or different servers alike, so the address
// is compared. Used by meeting, which compares.
#pragma once

#include <string>

namespace comex::worlds {

// The address that this argument stands for; the argument itself if there is no file to read.
std::string name_server_of(const std::string& words);
// The argument that the launcher got; empty: none.
std::string own_name_server();

}  // namespace comex::worlds
