// Strangers at a port: connections from this process that say what nobody has asked for.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "worlds/connect/ports/framed_socket.h"

namespace comex::testing {

inline std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

inline std::size_t allocated_bytes() {
  return mallinfo2().uordblks + mallinfo2().hblkhd;
}

enum class Says : std::uint8_t {
  nothing,
  end,
  garbage,
  wrong_cookie,
  empty_frames,
  a_huge_frame,
  little_by_little
};

class ManyStrangers {
 public:
  // `kept`: so many of the newest stay connected.
  ManyStrangers(const worlds::PortName& port, Says says, std::size_t kept)
      : to_(worlds::resolve(port)->front()), says_(says), kept_(kept) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }

  void add() {
    worlds::Socket made(::socket(to_.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(made.get(), to_.get(), to_.bytes), 0) << "after " << size();
    here_.push_back(std::move(made));
    if (here_.size() > kept_) here_.pop_front();
    say_first(here_.back().get());
  }
  // Those who have more to say go on.
  void say_more() {
    const std::string more(says_ == Says::little_by_little ? 1 : 65536, '\0');
    if (says_ != Says::little_by_little && says_ != Says::a_huge_frame && says_ != Says::empty_frames) return;
    for (const worlds::Socket& each : here_) say(each.get(), more);
  }
  std::size_t size() const { return here_.size(); }
  // So many have been sent away.
  std::size_t gone() const {
    std::size_t count = 0;
    for (const worlds::Socket& each : here_) {
      char byte = 0;
      const auto got = ::recv(each.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
      if (got == 0 || (got < 0 && errno == ECONNRESET)) ++count;
    }
    return count;
  }

 private:
  static void say(int socket, const std::string& words) {
    static_cast<void>(::send(socket, words.data(), words.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
  }
  static std::string framed(std::uint64_t bytes, const std::string& words) {
    return std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes) + words;
  }
  void say_first(int socket) const {
    const std::string greeting = "comex meets " + std::string(32, '0');
    if (says_ == Says::end) ::shutdown(socket, SHUT_WR);
    if (says_ == Says::garbage) say(socket, "GET / HTTP/1.1\r\nHost: nowhere\r\n\r\n");
    if (says_ == Says::wrong_cookie) say(socket, framed(greeting.size(), greeting));
    if (says_ == Says::a_huge_frame) say(socket, framed(worlds::FramedSocket::frame_limit_bytes, greeting));
    if (says_ == Says::little_by_little) say(socket, framed(44, "comex"));
  }

  worlds::Address to_;
  Says says_;
  std::size_t kept_;
  std::deque<worlds::Socket> here_;
};

}  // namespace comex::testing
