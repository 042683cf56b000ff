// A server that does only what a test tells it: reads the origin's messages, answers by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <vector>

#include "op/remote/remote.h"
#include "support/loopback_transport.h"

namespace comex::op {

struct Seen {
  protocol::RequestHeader header;
  std::vector<std::byte> rest;
};

class Script {
 public:
  explicit Script(const RemoteOptions& options = small_options(), std::size_t eager_limit_bytes = 1024,
                  int ranks = 2)
      : fabric(ranks, eager_limit_bytes), remote(fabric.endpoint(1), options) {
    far.world = 9;
    far.server = 0;
    far.target = 4;
    far.offset_base = 0;
  }

  static RemoteOptions small_options() {
    RemoteOptions options;
    options.self = 33;
    options.sizes.chunk_bytes = 4096;
    return options;
  }

  // What the origin has sent since the last look, in order.
  std::vector<Seen> look() {
    turn();
    std::vector<Seen> seen;
    transport::Message message;
    while (server().receive(message)) {
      Seen one;
      std::memcpy(&one.header, message.data.data(), sizeof one.header);
      one.rest.assign(message.data.begin() + sizeof one.header, message.data.end());
      seen.push_back(one);
    }
    return seen;
  }
  void turn() {
    transport::Message message;
    for (int i = 0; i < 3; ++i) {
      while (fabric.endpoint(1).receive(message)) remote.on_message(message);
      remote.advance();
      server().progress();
    }
  }

  protocol::ReplyHeader reply(protocol::Verb verb, std::uint32_t slot = 0) const {
    protocol::ReplyHeader made;
    made.verb = verb;
    made.slot = slot;
    made.limit = limit;
    made.applied = applied;
    made.credit_returns = credit_returns;
    return made;
  }
  void say(const protocol::ReplyHeader& header, std::span<const std::byte> data = {}) {
    std::byte* const to = server().stage();
    std::memcpy(to, &header, sizeof header);
    if (!data.empty()) std::memcpy(to + sizeof header, data.data(), data.size());
    server().post(1, sizeof header + data.size());
    turn();
  }
  void grant(std::uint64_t new_limit) {
    limit = new_limit;
    say(reply(protocol::Verb::credit));
  }
  void apply(std::uint64_t number) {
    applied = number;
    say(reply(protocol::Verb::credit));
  }

  Operation put(const void* near, std::uint64_t bytes, std::uint64_t offset = 4096) const {
    Operation made;
    made.near = static_cast<std::byte*>(const_cast<void*>(near));
    made.far = reinterpret_cast<std::byte*>(offset);
    made.patch = contiguous_patch(bytes);
    return made;
  }
  Operation get(void* near, std::uint64_t bytes) const {
    Operation made = put(near, bytes);
    made.action = Action::get;
    return made;
  }

  transport::Transport& server() { return fabric.endpoint(0); }

  transport::LoopbackFabric fabric;
  Remote remote;
  RemoteTarget far;
  std::uint64_t limit = 1;
  std::uint64_t applied = 0;
  std::uint16_t credit_returns = 0;
};

}  // namespace comex::op
