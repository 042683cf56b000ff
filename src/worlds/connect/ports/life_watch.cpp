#include "worlds/connect/ports/life_watch.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/packing.h"
#include "worlds/connect/ports/port_handshake.h"

namespace comex::worlds {
namespace {

using Clock = std::chrono::steady_clock;

void pause() {
  std::this_thread::sleep_for(std::chrono::microseconds(100));
}

// How often the watch looks for new links where the system has refused it a socket.
constexpr int without_wake_ms = 100;

void say(FramedSocket& channel, LinkEnd how) {
  const auto word = static_cast<std::byte>(how);
  channel.send(std::span(&word, 1));
}

// If the connection has ended, gives the other side's last word.
bool has_ended(FramedSocket& channel, LinkEnd& how) {
  const bool is_open = channel.step();
  while (const auto frame = channel.take()) {
    const bool is_word = frame->size() == 1 && how == LinkEnd::none;  // the first one counts
    if (is_word) how = static_cast<LinkEnd>(frame->front());
  }
  return !is_open || how != LinkEnd::none;
}

Bytes hello_frame(const std::string& cookie, WorldId world) {
  return Packer().text(cookie).value(world).take();
}

bool is_hello(const Bytes& frame, const std::string& cookie, WorldId& world) {
  Unpacker hello(frame);
  const bool is_known = hello.text() == cookie;
  world = hello.value<WorldId>();
  return is_known && hello.is_done();
}

// A connection may be dropped before its hello is read, so the listener says when it is in.
constexpr std::byte welcome{1};

bool is_welcomed(FramedSocket& channel, Clock::time_point end) {
  for (;;) {
    const bool is_open = channel.step();
    if (const auto frame = channel.take()) return frame->size() == 1 && frame->front() == welcome;
    if (!is_open || Clock::now() >= end) return false;
    pause();
  }
}

}  // namespace

LifeWatch::~LifeWatch() {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, link] : links_) {
      say(link, link.on_end ? LinkEnd::ended : LinkEnd::parted);
    }
    is_over_ = true;
  }
  if (!thread_.joinable()) return;
  wake();
  thread_.join();
}

void LifeWatch::say(LivenessLink& link, LinkEnd how) {
  for (FramedSocket& channel : link.channels) worlds::say(channel, how);
}

void LifeWatch::wake() {
  const char byte = 0;
  // A full socket wakes it already. A system that is short of memory is asked again.
  while (wake_pair_[0] && ::send(wake_pair_[0].get(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
         errno != EAGAIN)
    pause();
}

LifeWatch::Id LifeWatch::add(std::vector<FramedSocket> channels, OnEnd on_end, std::uint32_t dead_workers) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) {
    int pair[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0) {
      wake_pair_[0] = Socket(pair[0]);
      wake_pair_[1] = Socket(pair[1]);
    }
    thread_ = std::thread([this] { run(); });
  }
  const Id id = ++last_;
  links_.emplace(id, LivenessLink{std::move(channels), std::move(on_end), dead_workers});
  wake();
  const std::uint32_t dead_now = dead_workers_;
  lock.unlock();
  if (dead_now > dead_workers) break_all(dead_now);
  return id;
}

void LifeWatch::end(Id id, bool all_part) {
  std::unique_lock<std::mutex> telling;
  if (std::this_thread::get_id() != thread_.get_id()) telling = std::unique_lock(telling_);
  const std::lock_guard lock(mutex_);
  const auto found = links_.find(id);
  if (found == links_.end()) return;
  LivenessLink& link = found->second;
  link.on_end = {};
  if (all_part) say(link, LinkEnd::parted);
  if (all_part || link.is_told) links_.erase(found);
  if (all_part) wake();
}

void LifeWatch::break_all(std::uint32_t dead_workers) {
  const std::lock_guard telling(telling_);
  std::vector<OnEnd> broken;
  {
    const std::lock_guard lock(mutex_);
    dead_workers_ = std::max(dead_workers_, dead_workers);
    for (auto& [id, link] : links_) {
      if (link.dead_workers >= dead_workers || std::exchange(link.is_told, true)) continue;
      say(link, LinkEnd::broken);
      if (link.on_end) broken.push_back(link.on_end);
    }
  }
  for (const OnEnd& on_end : broken) on_end(LinkEnd::broken_here);
}

std::vector<int> LifeWatch::descriptors() {
  std::vector<int> found;
  for (const auto& [id, link] : links_) {
    for (const FramedSocket& channel : link.channels) {
      if (!link.is_told && channel.is_open()) found.push_back(channel.descriptor());
    }
  }
  return found;
}

// Returns false when all is over.
bool LifeWatch::look(std::vector<std::pair<OnEnd, LinkEnd>>& ended) {
  for (auto& [id, link] : links_) {
    for (FramedSocket& channel : link.channels) {
      LinkEnd how = LinkEnd::none;
      if (link.is_told || !channel.is_open() || !has_ended(channel, how)) continue;
      channel.close();
      if (how == LinkEnd::parted) continue;  // others of its world may stay
      link.is_told = true;
      if (link.on_end) ended.emplace_back(link.on_end, how);
    }
  }
  std::erase_if(links_, [](const auto& each) {
    const LivenessLink& link = each.second;
    return !link.on_end && (link.is_told || std::ranges::none_of(link.channels, &FramedSocket::is_open));
  });
  return !is_over_;
}

void LifeWatch::run() {
  for (;;) {
    std::vector<std::pair<OnEnd, LinkEnd>> ended;
    std::vector<pollfd> waiting;
    {
      const std::lock_guard telling(telling_);
      {
        const std::lock_guard lock(mutex_);
        if (!look(ended)) return;
        for (const int descriptor : descriptors()) waiting.push_back({descriptor, POLLIN, 0});
      }
      for (const auto& [on_end, how] : ended) on_end(how);
    }
    waiting.push_back({wake_pair_[1].get(), POLLIN, 0});
    // If a descriptor was closed or reused meanwhile, this loop only wakes once without need.
    ::poll(waiting.data(), waiting.size(), wake_pair_[1] ? -1 : without_wake_ms);
    char bytes[64];
    while (::recv(wake_pair_[1].get(), bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
  }
}

Result<FramedSocket> link_to(const PortName& port, WorldId mine, std::uint64_t limit_ms) {
  const auto end = Clock::now() + std::chrono::milliseconds(limit_ms);
  for (;;) {
    Result<FramedSocket> started = FramedSocket::start(port);
    if (!started) return started;
    FramedSocket channel = std::move(started).value();
    channel.send(hello_frame(port.cookie, mine));
    if (is_welcomed(channel, end)) return channel;
    const bool is_over = Clock::now() >= end;
    if (channel.is_open()) {  // the other side may still read this and must not take the end for a death
      say(channel, LinkEnd::parted);
      if (is_over) return environment_error(format_place(port) + " does not answer");
    }
    if (is_over || !channel.was_connected()) {
      return environment_error(format_place(port) + ": " + channel.ended());
    }
    pause();
  }
}

bool await_links(Listener& listener, std::uint32_t expected, std::uint64_t limit_ms, LivenessLinks& came) {
  const auto end = Clock::now() + std::chrono::milliseconds(limit_ms);
  UnverifiedConnections unverified(expected);
  const UnverifiedConnections::OnFrame on_frame = [&](FramedSocket& channel, const Bytes& frame) {
    WorldId world = 0;
    if (expected == 0 || !is_hello(frame, listener.name().cookie, world)) return;
    channel.send(std::span(&welcome, 1));
    came[world].push_back(std::move(channel));
    --expected;
  };
  while (expected != 0) {
    const auto now = Clock::now();
    unverified.look(listener, now, on_frame);
    if (expected != 0 && now >= end) return false;
    if (expected != 0) pause();
  }
  return true;
}

}  // namespace comex::worlds
