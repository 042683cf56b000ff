// The substrate as everything above sees it: small messages in order, bodies by tag.
//
// A Transport belongs to one process and one wire (all workers and progress ranks of a world).
// Nothing here blocks. It is not thread safe: the owner holds the engine lock around every call.
// Implementations: MpiTransport (two-sided MPI), LoopbackTransport (many ranks in one process).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/ids.h"
#include "core/protocol.h"

namespace comex::transport {

inline constexpr std::size_t body_limit_bytes = std::size_t{1} << 20;  // of one body

// A small message that has arrived. `data` stays valid until the next call of receive().
struct Message {
  TransportRank from = no_rank;
  std::span<const std::byte> data;
};

// A body in flight. Spent once done() has returned true for it.
struct Ticket {
  std::uint32_t index = UINT32_MAX;
  explicit operator bool() const { return index != UINT32_MAX; }
};

// Told about every small message that this process has sent or received, after the fact; about those that
// travel together once. The runtime uses it to ring the doorbell of a receiver on the same host.
class Bell {
 public:
  virtual ~Bell() = default;
  virtual void sent(TransportRank to) = 0;
  virtual void received(TransportRank from) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual TransportRank rank() const = 0;
  virtual TransportRank size() const = 0;

  // Small messages. The buffer that stage() returns holds protocol::message_bytes; fill it, then
  // post() the first `bytes` of it. Never blocks: what MPI cannot take at once stays queued in
  // order. One buffer is staged at a time.
  virtual std::byte* stage() = 0;
  virtual void post(TransportRank to, std::size_t bytes) = 0;
  // The same, where what is posted next, or the body that is sent next, goes to the same rank, at once: the
  // two may travel together.
  virtual void post_with_next(TransportRank to, std::size_t bytes) = 0;
  // The oldest small message that has arrived; false when there is none.
  virtual bool receive(Message& message) = 0;

  // Answers that wait for those to the rest of a bundle wait no longer.
  virtual void flush() {}

  // Bodies, straight from and to the caller's memory, which must stay in place until done().
  virtual Ticket start_send(TransportRank to, int tag, std::span<const std::byte> body) = 0;
  // Complete only once there is a receive for it, so that the sender cannot run ahead of the receiver.
  virtual Ticket start_matched_send(TransportRank to, int tag, std::span<const std::byte> body) = 0;
  virtual Ticket start_receive(TransportRank from, int tag, std::span<std::byte> body) = 0;
  // True once the body is complete; the ticket is spent then. `received_bytes` is set for receives.
  virtual bool done(Ticket ticket, std::size_t* received_bytes = nullptr) = 0;

  // Gives the substrate a chance to move data of its own and of the user's MPI calls.
  virtual void progress() = 0;
  // Small messages posted but not yet taken by the substrate.
  virtual std::size_t unsent() const = 0;

  void set_bell(Bell* bell) { bell_ = bell; }  // not owned; may be null

 protected:
  Bell* bell_ = nullptr;
};

}  // namespace comex::transport
