#include "worlds/connect/ports/address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>

#include "worlds/connect/ports/framed_socket.h"

namespace comex::worlds {
namespace {

// A link-local address of version 6 is useless to others without the name of the link.
bool is_link_local(const sockaddr* address) {
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 six;
    std::memcpy(&six, address, sizeof six);
    return IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr);
  }
  sockaddr_in four;
  std::memcpy(&four, address, sizeof four);
  return ntohl(four.sin_addr.s_addr) >> 16 == 0xa9fe;  // 169.254.x.x
}

// At first only interfaces with a carrier and addresses for more than a link, such as a board's management
// port has, which may be the same on every node.
bool may_name(const ifaddrs& each, int family, bool is_last_choice) {
  if (each.ifa_addr == nullptr || each.ifa_addr->sa_family != family) return false;
  if ((each.ifa_flags & IFF_UP) == 0 || (each.ifa_flags & IFF_LOOPBACK) != 0) return false;
  if (is_last_choice) return family == AF_INET || !is_link_local(each.ifa_addr);
  return (each.ifa_flags & IFF_RUNNING) != 0 && !is_link_local(each.ifa_addr);
}

std::string numeric(const sockaddr* address) {
  std::array<char, NI_MAXHOST> text{};
  const socklen_t bytes = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const int failed = ::getnameinfo(address, bytes, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return failed != 0 ? std::string() : std::string(text.data());
}

}  // namespace

Address Address::copy(const sockaddr* from, socklen_t bytes) {
  Address made;
  std::memcpy(&made.storage_, from, bytes);
  made.bytes_ = bytes;
  return made;
}

Result<std::vector<Address>> resolve(const PortName& to) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_family = AF_UNSPEC;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &found);
  if (failed != 0) {
    return environment_error("the host " + to.host +
                             " of the port is not known here: " + ::gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next)
    addresses.push_back(Address::copy(each->ai_addr, each->ai_addrlen));
  return addresses;
}

std::string own_address() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "127.0.0.1";
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
  for (const bool is_last_choice : {false, true}) {
    for (const int family : {AF_INET, AF_INET6}) {
      for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
        if (!may_name(*each, family, is_last_choice)) continue;
        if (std::string text = numeric(each->ifa_addr); !text.empty()) return text;
      }
    }
  }
  return "127.0.0.1";
}

std::uint16_t bound_port(int descriptor) {
  sockaddr_storage bound{};
  socklen_t bytes = sizeof bound;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &bytes) != 0) return 0;
  if (bound.ss_family == AF_INET) {
    sockaddr_in four;
    std::memcpy(&four, &bound, sizeof four);
    return ntohs(four.sin_port);
  }
  sockaddr_in6 six;
  std::memcpy(&six, &bound, sizeof six);
  return ntohs(six.sin6_port);
}

std::string draw_cookie() {
  std::array<unsigned char, cookie_digits / 2> random{};
  COMEX_BUG_IF(::getentropy(random.data(), random.size()) != 0);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string cookie;
  for (const unsigned char byte : random) {
    cookie += digits[byte >> 4];
    cookie += digits[byte & 15];
  }
  return cookie;
}

}  // namespace comex::worlds
