// A server over the loopback transport and an in-memory arena, and origins played by hand.
//
// Rank 0 is the server; Hand is one origin that writes raw protocol messages and keeps the protocol's
// books (running numbers, credits) so that a test can also break its rules.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pr/server.h"
#include "support/loopback_parts.h"
#include "support/loopback_transport.h"
#include "support/memory_os.h"

namespace comex::pr::rig {

using protocol::Atomic;
using protocol::Layout;
using protocol::Refusal;
using protocol::ReplyHeader;
using protocol::RequestHeader;
using protocol::Verb;
using test::pattern;
using Bytes = std::vector<std::byte>;

inline constexpr Worker target = 7;
inline constexpr WorldId world = 3;
inline constexpr std::uint32_t small_chunk = 4096;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
inline void append(Bytes& to, std::span<const std::byte> part) {
  // Not insert(): gcc 12 sees overflows in it that are not there.
  const std::size_t before = to.size();
  to.resize(before + part.size());
  if (!part.empty()) std::memcpy(to.data() + before, part.data(), part.size());
}

inline ServerOptions small_options() {
  ServerOptions options;
  options.world = world;
  options.chunk_bytes = small_chunk;
  options.pool_bytes = 16 * protocol::message_bytes;
  options.staging_bytes = 8 * small_chunk;
  return options;
}

struct Reply {
  ReplyHeader header;
  Bytes data;
};

class Rig {
 public:
  explicit Rig(TransportRank origins = 1, ServerOptions options = small_options())
      : arena(test::make_arena(os, world, 3)), fabric(origins + 1, 1024) {
    options.slot_of = [this](Worker worker) { return worker == target ? 1 : slot_of_others; };
    options.report = [this](const RefusedRequest& request) { refused.push_back(request); };
    options.recovered = [this](const RequestHeader&, const std::optional<Worker>& dead) {
      ++recovered;
      recovered_from = dead;
    };
    server = std::make_unique<Server>(fabric.endpoint(0), arena, options);
    memory = allocate(target, 1 << 20);
  }

  std::uint64_t allocate(Worker owner, std::uint64_t bytes) {
    Result<shm::Extent> extent = arena.extents().allocate(owner, bytes);
    EXPECT_TRUE(static_cast<bool>(extent));
    std::memset(arena.at(extent->offset), 0, bytes);
    return extent->offset;
  }
  template <class T>
  T& word(std::uint64_t offset) {
    return *reinterpret_cast<T*>(arena.at(offset));
  }
  Bytes read(std::uint64_t offset, std::uint64_t bytes) {
    return {arena.at(offset), arena.at(offset) + bytes};
  }

  unsigned pass() {  // what a pump does once
    transport::Message message;
    while (fabric.endpoint(0).receive(message)) server->on_message(message);
    return server->advance();
  }
  void run(unsigned passes = 200) {
    for (unsigned i = 0; i < passes; ++i) pass();
  }

  shm::MemoryOs os;
  shm::Arena arena;
  transport::LoopbackFabric fabric;
  std::unique_ptr<Server> server;
  std::uint64_t memory = 0;  // offset of the target's megabyte, zeroed
  std::vector<RefusedRequest> refused;
  unsigned recovered = 0;
  std::optional<Worker> recovered_from;  // the last time, if known
  shm::HostSlot slot_of_others = no_host_slot;
};

// What a message says of rows of `run` bytes, `stride` apart, and of segments.
inline Bytes strided(std::uint64_t run, std::uint64_t rows, std::int64_t stride) {
  Bytes out;
  append(out, bytes_of(protocol::StridedLayout{1, 0}));
  append(out, bytes_of(run));
  append(out, bytes_of(rows));
  append(out, bytes_of(stride));
  return out;
}
inline Bytes scattered(std::uint32_t segment_bytes, const std::vector<std::uint64_t>& offsets) {
  Bytes out;
  append(out, bytes_of(protocol::ScatterLayout{static_cast<std::uint32_t>(offsets.size()), segment_bytes}));
  append(out, std::as_bytes(std::span(offsets)));
  return out;
}

class Hand {
 public:
  Hand(Rig& rig, TransportRank rank) : rig_(rig), transport_(rig.fabric.endpoint(rank)), rank_(rank) {}

  Requester by;                       // whose requests come next
  std::uint32_t chunk = small_chunk;  // of their bodies

  RequestHeader header(Verb verb, std::uint64_t offset = 0, std::uint64_t bytes = 0) {
    RequestHeader made;
    made.verb = verb;
    made.world = world;
    made.target = target;
    made.origin = static_cast<Worker>(100 + rank_);
    made.offset = offset;
    made.bytes = bytes;
    made.chunk_bytes = chunk;
    made.slot = next_slot_++;
    made.by = by;
    return made;
  }

  void send(RequestHeader request, std::span<const std::byte> rest = {}) {
    if (protocol::is_write(request.verb)) request.number = ++number;
    if (request.verb == Verb::fence) request.number = number;
    if (protocol::is_credited(request.verb)) ++sent;
    request.sequence = ++sequence;
    raw(request, rest);
  }
  void raw(const RequestHeader& request, std::span<const std::byte> rest = {}) {
    std::byte* staged = transport_.stage();
    std::memcpy(staged, &request, sizeof request);
    if (!rest.empty()) std::memcpy(staged + sizeof request, rest.data(), rest.size());
    transport_.post(0, sizeof request + rest.size());
  }

  std::uint32_t put(std::uint64_t offset, std::span<const std::byte> data, std::uint8_t flags = 0) {
    RequestHeader request = header(Verb::put, offset, data.size());
    request.flags = static_cast<std::uint8_t>(flags | protocol::body_inline);
    send(request, data);
    return request.slot;
  }
  // The body stays to be sent with send_body().
  std::uint32_t big_put(std::uint64_t offset, std::uint64_t bytes, std::uint8_t flags = 0) {
    RequestHeader request = header(Verb::put, offset, bytes);
    request.flags = flags;
    send(request);
    return request.slot;
  }
  std::uint32_t acc(std::uint64_t offset, std::span<const double> values, double scale = 1.0) {
    RequestHeader request = header(Verb::acc, offset, values.size_bytes());
    request.scalar = Scalar::float64;
    request.flags = protocol::body_inline;
    Bytes rest = scale_of(scale);
    append(rest, std::as_bytes(values));
    send(request, rest);
    return request.slot;
  }
  std::uint32_t big_acc(std::uint64_t offset, std::uint64_t bytes, double scale = 1.0) {
    RequestHeader request = header(Verb::acc, offset, bytes);
    request.scalar = Scalar::float64;
    send(request, scale_of(scale));
    return request.slot;
  }
  std::uint32_t get(std::uint64_t offset, std::uint64_t bytes) {
    const RequestHeader request = header(Verb::get, offset, bytes);
    send(request);
    return request.slot;
  }
  std::uint32_t rmw(std::uint64_t offset, Atomic atomic, std::uint64_t operand, std::uint64_t bytes = 8) {
    RequestHeader request = header(Verb::rmw, offset, bytes);
    request.atomic = atomic;
    request.scalar = bytes == 8 ? Scalar::int64 : Scalar::int32;
    request.set_argument(operand);
    send(request);
    return request.slot;
  }
  std::uint32_t store(std::uint64_t offset, std::uint64_t value, std::uint8_t flags = 0) {
    RequestHeader request = header(Verb::store, offset, 8);
    request.flags = flags;
    request.set_value(value);
    send(request);
    return request.slot;
  }
  std::uint32_t simple(Verb verb, std::uint64_t offset = 0, std::uint64_t operand = 0) {
    RequestHeader request = header(verb, offset);
    request.operand = operand;
    send(request);
    return request.slot;
  }
  std::uint32_t fence() { return simple(Verb::fence); }

  static Bytes scale_of(double scale) {
    Scale wire{};
    std::memcpy(wire.bytes, &scale, sizeof scale);
    Bytes out;
    append(out, bytes_of(wire));
    return out;
  }

  // Sends chunks first.. of a body; `data` must stay in place.
  void send_chunks(std::uint32_t slot, std::span<const std::byte> data, std::size_t first = 0,
                   std::size_t count = SIZE_MAX) {
    for (std::size_t k = first; k * chunk < data.size() && count != 0; ++k, --count) {
      const std::size_t begin = k * chunk;
      const std::size_t bytes = std::min<std::size_t>(chunk, data.size() - begin);
      sends_.push_back(transport_.start_send(0, protocol::put_tag(slot), data.subspan(begin, bytes)));
    }
  }
  // Receives a whole body; true when all of it was there.
  bool receive_body(std::uint32_t slot, std::span<std::byte> into) {
    std::vector<transport::Ticket> tickets;
    for (std::size_t begin = 0; begin < into.size(); begin += chunk) {
      const std::size_t bytes = std::min<std::size_t>(chunk, into.size() - begin);
      tickets.push_back(transport_.start_receive(0, protocol::get_tag(slot), into.subspan(begin, bytes)));
    }
    for (std::size_t done = 0, passes = 0; done < tickets.size(); ++passes) {
      if (passes > 1000) return false;
      rig_.pass();
      if (transport_.done(tickets[done])) ++done;
    }
    return true;
  }

  void poll() {
    transport::Message message;
    while (transport_.receive(message)) {
      Reply reply;
      std::memcpy(&reply.header, message.data.data(), sizeof reply.header);
      reply.data.assign(message.data.begin() + sizeof reply.header, message.data.end());
      EXPECT_EQ(reply.data.size(), reply.header.bytes);
      if (reply.header.credit_returns == credit_returns) limit = std::max(limit, reply.header.limit);
      applied = std::max(applied, reply.header.applied);
      if (reply.header.verb == Verb::credit) {
        ++credits;
      } else if (reply.header.verb == Verb::recall_credits) {
        ++recalls;
      } else {
        replies.push_back(reply);
      }
    }
  }
  // The reply to `slot` once it has come; runs the server meanwhile when `passes` allows.
  const Reply* reply_to(std::uint32_t slot, unsigned passes = 0) {
    for (unsigned i = 0;; ++i) {
      poll();
      for (const Reply& reply : replies) {
        if (reply.header.slot == slot) return &reply;
      }
      if (i == passes) return nullptr;
      rig_.pass();
    }
  }
  bool may_send() {
    poll();
    return sent < limit;
  }
  // Until a credit is there. False: it never came.
  bool wait_credit(unsigned passes = 1000) {
    for (unsigned i = 0; !may_send(); ++i) {
      if (i == passes) return false;
      rig_.pass();
    }
    return true;
  }
  void return_credits(std::uint64_t new_limit) {
    RequestHeader request = header(Verb::return_credits);
    request.set_new_limit(new_limit);
    limit = new_limit;
    ++credit_returns;
    raw(request);
  }

  transport::Transport& transport() { return transport_; }

  std::uint64_t number = 0;
  std::uint64_t sent = 0;
  std::uint16_t sequence = 0;
  std::uint64_t limit = 1;
  std::uint64_t applied = 0;
  std::uint16_t credit_returns = 0;
  unsigned credits = 0;
  unsigned recalls = 0;
  std::deque<Reply> replies;

 private:
  Rig& rig_;
  transport::Transport& transport_;
  TransportRank rank_;
  std::uint32_t next_slot_ = 1;
  std::vector<transport::Ticket> sends_;
};

}  // namespace comex::pr::rig
