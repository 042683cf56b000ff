#include "shm/socket_os.h"

#include <dirent.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace comex::shm {

namespace {

// Of the time, for finding sockets: one part in so many.
constexpr std::uint64_t between_searches = 100;

// A thread that is made while this lives takes no signal of the program's.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

bool is_socket(int descriptor) {
  int type = 0;
  socklen_t bytes = sizeof type;
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &bytes) ==
         0;  // asks no file system, as fstat would
}

}  // namespace

SocketWatch::Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

SocketWatch::SocketWatch(Os& os, Doorbell bell)
    : os_(os),
      bell_(bell),
      sockets_(epoll_create1(EPOLL_CLOEXEC)),
      gate_(epoll_create1(EPOLL_CLOEXEC)),
      stop_(eventfd(0, EFD_CLOEXEC)) {}

std::unique_ptr<SocketWatch> SocketWatch::make(Os& os, Doorbell bell) {
  std::unique_ptr<SocketWatch> made(new SocketWatch(os, bell));
  return made->start() ? std::move(made) : nullptr;
}

bool SocketWatch::start() {
  epoll_event stop{};
  stop.events = EPOLLIN;
  stop.data.fd = stop_.get();
  epoll_event sockets{};
  sockets.data.fd = sockets_.get();
  if (epoll_ctl(gate_.get(), EPOLL_CTL_ADD, stop_.get(), &stop) != 0) return false;
  if (epoll_ctl(gate_.get(), EPOLL_CTL_ADD, sockets_.get(), &sockets) != 0) return false;
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

SocketWatch::~SocketWatch() {
  if (!thread_.joinable()) return;
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void SocketWatch::run() {
  for (;;) {
    epoll_event event{};
    const int count = epoll_wait(gate_.get(), &event, 1, -1);
    if (count < 0 && errno == EINTR) continue;
    if (count != 1 || event.data.fd == stop_.get()) return;
    bell_.ring();
  }
}

bool SocketWatch::arm() {
  if (!find_sockets()) return false;
  static_cast<void>(heard());
  return set_gate(EPOLLIN | EPOLLONESHOT);
}

void SocketWatch::disarm() {
  static_cast<void>(set_gate(0));
}

bool SocketWatch::set_gate(std::uint32_t events) {
  epoll_event wish{};
  wish.events = events;
  wish.data.fd = sockets_.get();
  return epoll_ctl(gate_.get(), EPOLL_CTL_MOD, sockets_.get(), &wish) == 0;
}

// Sockets are added with what they may be sent to, so an edge shows here even when what came has been read.
bool SocketWatch::heard() {
  std::array<epoll_event, 64> found;
  const int room = static_cast<int>(found.size());
  int count = epoll_wait(sockets_.get(), found.data(), room, 0);
  const bool is_any = count > 0;
  while (count == room) count = epoll_wait(sockets_.get(), found.data(), room, 0);
  return is_any;
}

bool SocketWatch::find_sockets() {
  const std::uint64_t before = os_.now_ns();
  if (before < next_search_ns_) return false;
  const bool has_found = add_sockets();
  const std::uint64_t after = os_.now_ns();
  next_search_ns_ = has_found ? after + between_searches * (after - before) : forever_ns;
  return has_found;
}

bool SocketWatch::add_sockets() {
  DIR* const open = opendir("/proc/self/fd");
  if (open == nullptr) return false;
  bool are_added = true;
  while (const dirent* const entry = readdir(open)) {
    const int descriptor = std::atoi(entry->d_name);  // 0 for the folder itself and the one above
    if (is_socket(descriptor)) are_added = add(descriptor) && are_added;
  }
  closedir(open);
  return are_added;
}

// A socket that is there already stays as it is, and one that has just been closed need not be, nor what has
// its number by now.
bool SocketWatch::add(int descriptor) {
  epoll_event wish{};
  wish.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  wish.data.fd = descriptor;
  return epoll_ctl(sockets_.get(), EPOLL_CTL_ADD, descriptor, &wish) == 0 || errno == EEXIST ||
         errno == EBADF || errno == EPERM;
}

}  // namespace comex::shm
