#include "groups/worlds/port_name.h"

#include <algorithm>
#include <charconv>

namespace comex::groups {
namespace {

Failure wrong(std::string_view text, const std::string& why) {
  constexpr std::size_t shown = 80;
  return caller_error("\"" + std::string(text.substr(0, shown)) + (text.size() > shown ? "..." : "") +
                      "\" is not a port: " + why + "; a port is host:port:cookie, as open_port gives it");
}

bool is_cookie(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == cookie_digits && std::ranges::all_of(text, is_digit);
}

}  // namespace

std::string format_port(const PortName& name) {
  const bool has_colons = name.host.find(':') != std::string::npos;
  const std::string host = has_colons ? "[" + name.host + "]" : name.host;
  return host + ":" + std::to_string(name.port) + ":" + name.cookie;
}

Result<PortName> parse_port(std::string_view text) {
  // A name read from a file often brings its line's end along.
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
  return PortName{std::string(host), port, std::string(cookie)};
}

}  // namespace comex::groups
