#include "worlds/connect/ports/port_name.h"

#include <algorithm>
#include <charconv>

namespace comex::worlds {
namespace {

bool is_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}
bool is_cookie(std::string_view text) {
  return text.size() == cookie_digits && std::ranges::all_of(text, is_digit);
}
// What may be a host's name: it has no blanks, and no part that may be a cookie.
bool is_host(std::string_view text) {
  if (text.empty()) return false;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = is_digit(c) ? digits + 1 : 0;
    if (digits == cookie_digits || c <= ' ') return false;
  }
  return true;
}

}  // namespace

std::string format_place(const PortName& name) {
  const bool has_colons = name.host.find(':') != std::string::npos;
  const std::string host = has_colons ? "[" + name.host + "]" : name.host;
  return host + ":" + std::to_string(name.port);
}

std::string format_port(const PortName& name) {
  return format_place(name) + ":" + name.cookie;
}

Result<PortName> parse_port(std::string_view text) {
  // A name that was read from a file often has the end of its line.
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const auto last = text.rfind(':');
  const auto middle = text.substr(0, last).rfind(':');
  if (middle != std::string_view::npos) {
    std::string_view host = text.substr(0, middle);
    const std::string_view digits = text.substr(middle + 1, last - middle - 1);
    const std::string_view cookie = text.substr(last + 1);
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    const bool is_port = error == std::errc() && end == digits.data() + digits.size() && port != 0;
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    if (is_host(host) && is_port && is_cookie(cookie))
      return PortName{std::string(host), port, std::string(cookie)};
  }
  // Any part of the text may be the cookie, so nothing of it is shown.
  return caller_error("a text of " + std::to_string(text.size()) +
                      " bytes is not a port: a port is host:port:cookie, as open_port gives it");
}

}  // namespace comex::worlds
