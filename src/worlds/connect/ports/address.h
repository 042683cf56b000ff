// Addresses as the system has them: of a port's host, of this host, and the port of a socket.
//
// Pure look-ups. Used by framed_socket, and by callers that connect repeatedly.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/status.h"
#include "worlds/connect/ports/port_name.h"

namespace comex::worlds {

class Address {
 public:
  static Address copy(const sockaddr* from, socklen_t bytes);

  int family() const { return storage_.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t bytes() const { return bytes_; }

 private:
  sockaddr_storage storage_{};
  socklen_t bytes_ = 0;
};

// All addresses that the system finds for the port's host, at least one. A numeric host needs no look-up.
Result<std::vector<Address>> resolve(const PortName& to);
// The first address of this host that is up and not loopback, IPv4 before IPv6; else 127.0.0.1.
std::string own_address();
std::uint16_t bound_port(int descriptor);

}  // namespace comex::worlds
