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
  std::size_t digits = 0;
  for (const char c : text) {
    digits = is_digit(c) ? digits + 1 : 0;
    if (digits == cookie_digits || c <= ' ') return false;
  }
  return true;
}

// Any part of the text may be the cookie, so nothing of it is shown.
Failure wrong(std::string_view text, const std::string& why) {
  return caller_error("a text of " + std::to_string(text.size()) + " bytes is not a port: " + why +
                      "; a port is host:port:cookie, as open_port gives it");
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
  if (last == std::string_view::npos) return wrong(text, "it has no colon");
  const std::string_view cookie = text.substr(last + 1);
  if (!is_cookie(cookie)) return wrong(text, "its cookie is not 32 hexadecimal digits");
  const std::string_view place = text.substr(0, last);
  const auto middle = place.rfind(':');
  if (middle == std::string_view::npos) return wrong(text, "it has one colon only");
  const std::string_view digits = place.substr(middle + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0) {
    return wrong(text, "its port is not a number from 1 to 65535");
  }
  std::string_view host = place.substr(0, middle);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host.empty()) return wrong(text, "it names no host");
  if (!is_host(host)) return wrong(text, "what is before its port is not a host's name");
  return PortName{std::string(host), port, std::string(cookie)};
}

}  // namespace comex::worlds
