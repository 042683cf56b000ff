#include "worlds/connect/ports/life_watch.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/packing.h"
#include "worlds/connect/ports/port_handshake.h"

namespace comex::worlds {
namespace {

void pause() {
  std::this_thread::sleep_for(std::chrono::microseconds(100));
}

constexpr std::chrono::milliseconds between_looks{10};

void say(FramedSocket& channel, LinkEnd how) {
  const auto word = static_cast<std::byte>(how);
  channel.send(std::span(&word, 1));
}

// If the connection has ended, gives the other side's last word.
bool has_ended(FramedSocket& channel, LinkEnd& how, bool& is_watched_there) {
  const bool is_open = channel.step();
  while (const auto frame = channel.take()) {
    if (frame->size() != 1 || how != LinkEnd::none) continue;  // the first one counts
    const auto word = static_cast<LinkEnd>(frame->front());
    if (word == LinkEnd::left) {
      is_watched_there = false;
    } else {
      how = word;
    }
  }
  return !is_open || how != LinkEnd::none;
}

Bytes hello_of_link(const std::string& cookie, WorldId world) {
  return Packer().text(cookie).value(world).take();
}

bool is_hello(const Bytes& frame, const std::string& cookie, WorldId& world) {
  Unpacker hello(frame);
  const bool is_known = hello.text() == cookie;
  world = hello.value<WorldId>();
  return is_known && hello.is_done();
}

}  // namespace

LifeWatch::~LifeWatch() {
  for (LivenessLink& link : links_) say(link.channel, link.is_watched ? LinkEnd::ended : LinkEnd::parted);
}

void LifeWatch::report(LivenessLink& link, LinkEnd how) {
  link.is_told = true;
  if (link.is_watched) ended_.push_back({link.bridge, link.world, how});
}

void LifeWatch::add(BridgeId bridge, LivenessLinks&& links, std::uint32_t dead_workers) {
  const std::lock_guard lock(mutex_);
  for (auto& [world, channel] : links) links_.push_back({bridge, world, std::move(channel), dead_workers});
  has_links_.store(!links_.empty(), std::memory_order_relaxed);
  break_links();
}

void LifeWatch::end(BridgeId bridge, bool all_part) {
  const std::lock_guard lock(mutex_);
  std::erase_if(ended_, [bridge](const EndedLink& each) { return each.bridge == bridge; });
  for (LivenessLink& link : links_) {
    if (link.bridge != bridge) continue;
    link.is_watched = false;
    say(link.channel, all_part ? LinkEnd::parted : LinkEnd::left);
  }
  std::erase_if(
      links_, [&](const LivenessLink& link) { return link.bridge == bridge && (all_part || link.is_told); });
  has_links_.store(!links_.empty(), std::memory_order_relaxed);
}

void LifeWatch::break_all(std::uint32_t dead_workers) {
  const std::lock_guard lock(mutex_);
  dead_workers_ = std::max(dead_workers_, dead_workers);
  break_links();
}

void LifeWatch::break_links() {
  for (LivenessLink& link : links_) {
    if (link.is_told || link.dead_workers >= dead_workers_) continue;
    say(link.channel, LinkEnd::broken);
    report(link, LinkEnd::broken_here);
  }
}

std::vector<EndedLink> LifeWatch::take_ended() {
  if (!has_links_.load(std::memory_order_relaxed)) return {};
  const std::lock_guard lock(mutex_);
  if (const auto now = std::chrono::steady_clock::now(); now >= next_look_) {
    next_look_ = now + between_looks;
    look();
  }
  return std::exchange(ended_, {});
}

void LifeWatch::look() {
  for (LivenessLink& link : links_) {
    LinkEnd how = LinkEnd::none;
    if (link.is_told || !link.channel.is_open() || !has_ended(link.channel, how, link.is_watched_there))
      continue;
    link.channel.close();
    if (how != LinkEnd::parted) report(link, how);
  }
  std::erase_if(links_, [](const LivenessLink& link) {
    return !link.is_watched && (link.is_told || !link.is_watched_there || !link.channel.is_open());
  });
  has_links_.store(!links_.empty(), std::memory_order_relaxed);
}

Result<FramedSocket> link_to(const PortName& port, WorldId mine, const Deadline& deadline) {
  Result<std::vector<Address>> addresses = resolve(port);
  if (!addresses) return addresses.take_failure();
  PortConnector connector(std::move(addresses).value(), hello_of_link(port.cookie, mine), deadline);
  while (!connector.look(Deadline::Clock::now())) pause();
  if (connector.is_in()) return connector.take();
  if (!connector.has_socket()) return connector.has_socket().failure();
  const std::string why = connector.last_error();
  FramedSocket unanswered = connector.take();
  say(unanswered, LinkEnd::parted);  // who still reads the hello must not take the end for a death
  return environment_error(format_place(port) + " does not answer (" + why + ")");
}

bool await_links(Listener& listener, std::uint32_t expected, const Deadline& deadline, LivenessLinks& came) {
  UnverifiedConnections unverified(expected);
  const UnverifiedConnections::OnFrame on_frame = [&](FramedSocket& channel, const Bytes& frame) {
    WorldId world = 0;
    if (expected == 0 || !is_hello(frame, listener.name().cookie, world)) return;
    let_in(channel);
    came.emplace(world, std::move(channel));
    --expected;
  };
  while (expected != 0) {
    const auto now = Deadline::Clock::now();
    unverified.look(listener, now, on_frame);
    if (expected != 0 && deadline.is_over(now)) return false;
    if (expected != 0) pause();
  }
  return true;
}

}  // namespace comex::worlds
