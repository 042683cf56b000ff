// Parses COMEX_VIRTUAL_HOSTS: a number of blocks, or one entry for each rank of a host.
#include <charconv>

#include "pr/setup/world_split.h"

namespace comex::pr {
namespace {

constexpr int most_blocks = 1 << 20;

Failure not_understood(std::string_view text) {
  return caller_error("COMEX_VIRTUAL_HOSTS='" + std::string(text) +
                      "' is not allowed: it takes a number of virtual hosts, 1 or more, or a list of their "
                      "numbers with one entry for each rank of a host, such as 0,0,1,1");
}

bool read_number(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 0 && value <= most_blocks;
}

}  // namespace

Result<VirtualHosts> parse_virtual_hosts(std::string_view text) {
  VirtualHosts hosts;
  if (text.empty()) return hosts;
  if (text.find(',') == std::string_view::npos) {
    if (!read_number(text, hosts.blocks) || hosts.blocks == 0) return not_understood(text);
    return hosts;
  }
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    int entry = 0;
    if (!read_number(rest.substr(0, comma), entry)) return not_understood(text);
    hosts.entries.push_back(entry);
    if (comma == std::string_view::npos) return hosts;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace comex::pr
