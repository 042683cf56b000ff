// Messages over TCP that never block, for worlds that meet before MPI knows of them.
//
// A FramedSocket is one connection with frames of bytes in order, both ways. A Listener is a port for others.
// Nothing here waits: the owner calls step() or accept() in its own loop, which goes on serving, and it has
// the clock. A connection's bytes can end its own connection only; until the owner trusts the other side, a
// frame is no longer than a handshake's. Used by the roots of accept and connect, and by the watch over
// worlds that have met. One thread at a time.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "worlds/connect/ports/port_name.h"

namespace comex::worlds {

// An address as the system has it.
struct Address {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof storage;

  int family() const { return storage.ss_family; }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// All addresses that the system finds for the port's host, at least one. A numeric host needs no look-up.
Result<std::vector<Address>> resolve(const PortName& to);
// The first address of this host that is up and not loopback, IPv4 before IPv6; else 127.0.0.1.
std::string own_address();
std::uint16_t bound_port(int descriptor);

// An open socket, closed with its owner.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

class FramedSocket {
 public:
  static constexpr std::uint64_t handshake_limit_bytes = 64;
  static constexpr std::uint64_t frame_limit_bytes = std::uint64_t{64} << 20;

  FramedSocket() = default;
  explicit FramedSocket(Socket connected);
  // Starts to connect; step() shows whether it succeeds.
  static FramedSocket start(const Address& to);

  // The other side has identified itself: from here on, its frames may have up to frame_limit_bytes.
  void trust() { limit_bytes_ = frame_limit_bytes; }
  // Sends what the system takes and receives what is there, at most one frame of the limit beyond what was
  // taken. False once the other side has closed, refused or broken the rules: `ended()` says how; earlier
  // frames can still be taken.
  bool step();
  bool is_open() const { return static_cast<bool>(socket_); }
  bool is_connected() const { return is_open() && !connecting_; }
  const std::string& ended() const { return ended_; }
  bool is_sent() const { return out_.empty(); }
  int descriptor() const { return socket_.get(); }  // to wait for it among others; -1 after the end

  void send(std::span<const std::byte> frame);
  bool has_frame() const;
  // Returns the oldest frame that is complete.
  std::optional<std::vector<std::byte>> take();
  // Ends the connection at once, which the other side sees.
  void close() { end("closed here"); }

 private:
  void end(std::string how);
  void write();
  void read();

  Socket socket_;
  bool connecting_ = false;
  std::uint64_t limit_bytes_ = handshake_limit_bytes;
  std::string ended_ = "not connected";
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

class Listener {
 public:
  Listener() = default;
  // Opens any free port of one address. `host`: that address; empty: this host's first that is not loopback.
  static Result<Listener> open(const std::string& host);

  const PortName& name() const { return name_; }
  bool is_open() const { return static_cast<bool>(socket_); }
  // Returns the next incoming connection, if any.
  std::optional<FramedSocket> accept();

 private:
  Socket socket_;
  PortName name_;
};

// Returns 32 hexadecimal digits that nobody can guess.
std::string draw_cookie();

}  // namespace comex::worlds
