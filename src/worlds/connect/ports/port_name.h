// The name of a port as programs pass it on: host:port:cookie, one line without blanks.
//
// It is a value. The host is a name or a numeric address, an IPv6 address in brackets. The cookie is 32
// hexadecimal digits, drawn for each port, so that a process that only finds the open port is not let in.
// Made by open_port, read by accept, connect and close_port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/status.h"

namespace comex::worlds {

struct PortName {
  std::string host;
  std::uint16_t port = 0;
  std::string cookie;
  friend bool operator==(const PortName&, const PortName&) = default;
};

inline constexpr std::size_t cookie_digits = 32;

std::string format_port(const PortName& name);
// Leaves out the cookie, for lines that others may read.
std::string format_place(const PortName& name);
// The failure shows nothing that may be a cookie.
Result<PortName> parse_port(std::string_view text);

}  // namespace comex::worlds
