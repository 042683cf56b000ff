#include "worlds/connect/ports/framed_socket.h"

#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

namespace comex::worlds {
namespace {

std::string numeric(const sockaddr* address) {
  std::array<char, NI_MAXHOST> text{};
  const socklen_t bytes = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const int failed = ::getnameinfo(address, bytes, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return failed != 0 ? std::string() : std::string(text.data());
}

// The address of an interface by which others may know this host, or nothing. At first only with a carrier,
// and for more than a link, such as a board's management port has, which may be the same on every node. A
// link-local address of version 6 is useless to others without the name of the link.
std::string name_by(const ifaddrs& each, int family, bool is_last_choice) {
  if (each.ifa_addr == nullptr || each.ifa_addr->sa_family != family) return {};
  if ((each.ifa_flags & IFF_UP) == 0 || (each.ifa_flags & IFF_LOOPBACK) != 0) return {};
  if (!is_last_choice && (each.ifa_flags & IFF_RUNNING) == 0) return {};
  std::string text = numeric(each.ifa_addr);
  const bool is_six_of_link = text.starts_with("fe") && text.find_first_of("89ab", 2) == 2;  // fe80::/10
  const bool is_refused = is_six_of_link || (!is_last_choice && text.starts_with("169.254."));
  return is_refused ? std::string() : text;
}

std::string error_text(int code) {
  return std::generic_category().message(code);
}

void set_option(const Socket& socket, int level, int name, int value) {
  ::setsockopt(socket.get(), level, name, &value, sizeof value);
}

// A host that vanishes closes no connection. The system probes every few seconds, three times.
void tune(const Socket& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

// Whether the call that has just failed may do better at the next step.
bool may_pass() {
  return errno == EAGAIN || errno == EINTR;
}

Socket new_socket(int family) {
  return Socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Of the first frame; 0 while it is not known.
std::uint64_t length_of(std::span<const std::byte> frames) {
  std::uint64_t bytes = 0;
  if (frames.size() >= sizeof bytes) std::memcpy(&bytes, frames.data(), sizeof bytes);
  return bytes;
}

}  // namespace

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
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    Address& next = addresses.emplace_back();
    next.bytes = each->ai_addrlen;
    std::memcpy(next.get(), each->ai_addr, next.bytes);
  }
  return addresses;
}

std::string own_address() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "127.0.0.1";
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
  for (const bool is_last_choice : {false, true}) {
    for (const int family : {AF_INET, AF_INET6}) {
      for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
        if (std::string text = name_by(*each, family, is_last_choice); !text.empty()) return text;
      }
    }
  }
  return "127.0.0.1";
}

std::uint16_t bound_port(int descriptor) {
  Address bound;
  if (::getsockname(descriptor, bound.get(), &bound.bytes) != 0) return 0;
  return ntohs(reinterpret_cast<const sockaddr_in*>(bound.get())->sin_port);  // as in one of version 6
}

std::string draw_cookie() {
  std::array<std::uint64_t, 2> random{};
  COMEX_BUG_IF(::getentropy(random.data(), sizeof random) != 0);
  std::array<char, cookie_digits + 1> cookie{};
  std::snprintf(cookie.data(), cookie.size(), "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
  return cookie.data();
}

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FramedSocket::FramedSocket(Socket connected) : socket_(std::move(connected)), ended_() {
  tune(socket_);
}

FramedSocket FramedSocket::start(const Address& to) {
  FramedSocket channel;
  channel.socket_ = new_socket(to.family());
  if (!channel.socket_) {
    channel.ended_ = "socket: " + error_text(errno);
    return channel;
  }
  tune(channel.socket_);
  channel.ended_.clear();
  channel.connecting_ = true;
  if (::connect(channel.socket_.get(), to.get(), to.bytes) != 0 && errno != EINPROGRESS) {
    channel.end("connect: " + error_text(errno));
  }
  return channel;
}

void FramedSocket::end(std::string how) {
  if (!socket_) return;
  socket_ = Socket();
  ended_ = std::move(how);
  out_.clear();
}

bool FramedSocket::step() {
  if (!socket_) return false;
  if (connecting_) {
    pollfd ready{socket_.get(), POLLOUT, 0};
    if (::poll(&ready, 1, 0) <= 0) return true;
    int code = 0;
    socklen_t bytes = sizeof code;
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &code, &bytes);
    if (code != 0) {
      end("connect: " + error_text(code));
      return false;
    }
    connecting_ = false;
  }
  write();
  read();
  return is_open();
}

void FramedSocket::write() {
  while (socket_ && !out_.empty()) {
    const ssize_t sent = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      if (!may_pass()) {
        // The other side's last data may still be there to read.
        const std::string how = "send: " + error_text(errno);
        read();
        end(how);
      }
      return;
    }
    out_.erase(out_.begin(), out_.begin() + sent);
  }
}

void FramedSocket::read() {
  std::array<std::byte, 16384> piece;
  while (socket_) {
    if (length_of(in_) > limit_bytes_) return end("the other side does not speak this protocol");
    const std::size_t most = sizeof(std::uint64_t) + limit_bytes_;
    if (in_.size() >= most) return;  // the owner takes frames first
    const ssize_t received =
        ::recv(socket_.get(), piece.data(), std::min(piece.size(), most - in_.size()), 0);
    if (received == 0) return end("the other side has closed");
    if (received < 0) {
      if (!may_pass()) end("receive: " + error_text(errno));
      return;
    }
    in_.insert(in_.end(), piece.begin(), piece.begin() + received);
  }
}

void FramedSocket::send(std::span<const std::byte> frame) {
  if (!socket_) return;
  const std::uint64_t bytes = frame.size();
  const auto length = std::as_bytes(std::span(&bytes, 1));
  out_.insert(out_.end(), length.begin(), length.end());
  out_.insert(out_.end(), frame.begin(), frame.end());
  if (!connecting_) write();
}

bool FramedSocket::has_frame() const {
  return in_.size() >= sizeof(std::uint64_t) && in_.size() - sizeof(std::uint64_t) >= length_of(in_);
}

std::optional<std::vector<std::byte>> FramedSocket::take() {
  if (!has_frame()) return std::nullopt;
  const std::uint64_t bytes = length_of(in_);
  const auto first = in_.begin() + sizeof bytes;
  const auto last = first + static_cast<std::ptrdiff_t>(bytes);
  std::vector<std::byte> frame(first, last);
  in_.erase(in_.begin(), last);
  return frame;
}

Result<Listener> Listener::open(const std::string& host) {
  Listener listener;
  listener.name_ = {host.empty() ? own_address() : host, 0, draw_cookie()};
  const Result<std::vector<Address>> addresses = resolve(listener.name_);
  if (!addresses) return addresses.failure();
  const Address& here = addresses->front();
  listener.socket_ = new_socket(here.family());
  if (!listener.socket_ || ::bind(listener.socket_.get(), here.get(), here.bytes) != 0) {
    return environment_error("bind of a port at " + listener.name_.host + ": " + error_text(errno));
  }
  constexpr int backlog = 1024;
  if (::listen(listener.socket_.get(), backlog) != 0) {
    return environment_error("listen: " + error_text(errno));
  }
  listener.name_.port = bound_port(listener.socket_.get());
  if (listener.name_.port == 0) return environment_error("getsockname: " + error_text(errno));
  return listener;
}

std::optional<FramedSocket> Listener::accept() {
  if (!socket_) return std::nullopt;
  Socket accepted(::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted) return std::nullopt;
  return FramedSocket(std::move(accepted));
}

}  // namespace comex::worlds
