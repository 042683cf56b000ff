#include "worlds/connect/ports/life_watch.h"

#include <algorithm>
#include <list>
#include <thread>
#include <utility>

#include "core/packing.h"
#include "worlds/connect/ports/port_handshake.h"

namespace comex::worlds {
namespace {

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

struct LinkAttempt {
  WorldId world;
  std::string place;
  PortConnector connector;
};

bool is_over(LinkAttempt& attempt, Deadline::Clock::time_point now, MadeLinks& made) {
  PortConnector& connector = attempt.connector;
  if (!connector.look(now)) return false;
  if (connector.is_in()) {
    made.links.emplace(attempt.world, connector.take());
  } else {
    made.trouble = attempt.place + " does not answer (" + connector.last_error() + ")";
    FramedSocket unanswered = connector.take();
    say(unanswered, LinkEnd::parted);  // who still reads the hello must not take the end for a death
  }
  return true;
}

}  // namespace

LifeWatch::~LifeWatch() {
  for (LivenessLink& link : links_) say(link.channel, link.is_watched ? LinkEnd::ended : LinkEnd::parted);
}

void LifeWatch::report(LivenessLink& link, LinkEnd how) {
  if (std::exchange(link.is_watched, false)) ended_.push_back({link.bridge, link.world, how});
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
  if (all_part) std::erase_if(links_, [&](const LivenessLink& link) { return link.bridge == bridge; });
  has_links_.store(!links_.empty(), std::memory_order_relaxed);
}

void LifeWatch::break_all(std::uint32_t dead_workers) {
  const std::lock_guard lock(mutex_);
  dead_workers_ = std::max(dead_workers_, dead_workers);
  break_links();
}

void LifeWatch::break_links() {
  for (LivenessLink& link : links_) {
    if (link.dead_workers >= dead_workers_) continue;
    link.dead_workers = dead_workers_;
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
    if (!link.channel.is_open() || !has_ended(link.channel, how, link.is_watched_there)) continue;
    link.channel.close();
    if (how != LinkEnd::parted) report(link, how);
  }
  std::erase_if(links_, [](const LivenessLink& link) {
    return !link.is_watched && (!link.is_watched_there || !link.channel.is_open());
  });
  has_links_.store(!links_.empty(), std::memory_order_relaxed);
}

MadeLinks make_links(WorldId mine, std::span<const std::pair<WorldId, PortName>> others, Listener& listener,
                     std::uint32_t expected, const Deadline& deadline) {
  MadeLinks made;
  std::uint32_t missing = listener.is_open() ? expected : 0;  // nobody comes to a closed one
  std::list<LinkAttempt> attempts;
  for (const auto& [world, port] : others) {
    if (Result<std::vector<Address>> addresses = resolve(port); addresses) {
      attempts.push_back(
          {world, format_place(port),
           PortConnector(std::move(addresses).value(), hello_of_link(port.cookie, mine), deadline)});
    } else {
      made.trouble = addresses.failure().text;
    }
  }
  UnverifiedConnections unverified(expected);
  const UnverifiedConnections::OnFrame on_frame = [&](FramedSocket& channel, const Bytes& frame) {
    WorldId world = 0;
    if (missing == 0 || !is_hello(frame, listener.name().cookie, world)) return;
    let_in(channel);
    made.links.emplace(world, std::move(channel));
    --missing;
  };
  for (;;) {
    const auto now = Deadline::Clock::now();
    if (missing != 0) unverified.look(listener, now, on_frame);
    std::erase_if(attempts, [&](LinkAttempt& each) { return is_over(each, now, made); });
    if (attempts.empty() && (missing == 0 || deadline.is_over(now))) return made;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

LivenessPlan plan_links(std::span<const WorldId> worlds, std::uint32_t me) {
  std::map<WorldId, std::vector<std::uint32_t>> members;
  for (std::uint32_t rank = 0; rank < worlds.size(); ++rank) members[worlds[rank]].push_back(rank);
  const std::vector<std::uint32_t>& own = members[worlds[me]];
  const auto place = static_cast<std::size_t>(std::ranges::find(own, me) - own.begin());
  LivenessPlan plan;
  for (const auto& [world, others] : members) {
    if (world == worlds[me]) continue;
    const bool connects = own.size() > others.size() || (own.size() == others.size() && worlds[me] > world);
    if (connects) {
      plan.connects_to.push_back(others[place % others.size()]);
    } else {
      const std::size_t rest = others.size() % own.size();
      plan.awaits += static_cast<std::uint32_t>(others.size() / own.size() + (place < rest ? 1 : 0));
    }
  }
  return plan;
}

}  // namespace comex::worlds
