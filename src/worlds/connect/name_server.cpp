#include "worlds/connect/name_server.h"

#include <fstream>

#include "runtime/mpi_in_use.h"

namespace comex::worlds {

std::string name_server_of(const std::string& words) {
  constexpr std::size_t prefix_size = 5;
  if (!words.starts_with("file:") && !words.starts_with("FILE:")) return words;
  std::ifstream file(words.substr(prefix_size));
  std::string address;
  std::getline(file, address);
  while (!address.empty() && (address.back() == ' ' || address.back() == '\r')) address.pop_back();
  return address.empty() ? words : address;
}

std::string own_name_server() {
  return name_server_of(runtime::launched_process().name_server);
}

}  // namespace comex::worlds
