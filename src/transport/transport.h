// The message layer as the rest of the runtime sees it: small messages in order, bodies by tag.
//
// A Transport belongs to one process and one wire (all workers and progress ranks of a world). Nothing here
// blocks. It is not thread safe: the owner holds the engine lock around every call. MpiTransport implements
// it over two-sided MPI, LoopbackTransport over many ranks in one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/ids.h"
#include "core/protocol.h"

namespace comex::transport {

inline constexpr std::size_t body_limit_bytes = std::size_t{1} << 20;  // the longest body

// A small message that has arrived. `data` is valid until the next call of receive().
struct Message {
  TransportRank from = no_rank;
  std::span<const std::byte> data;
};

// A body in flight. It is spent once done() has returned true for it.
struct Ticket {
  std::uint32_t index = UINT32_MAX;
  explicit operator bool() const { return index != UINT32_MAX; }
};

// Is told about every small message that this process has sent or received, afterwards, and once for messages
// that travel together. The runtime rings the doorbell of a receiver on the same host with it.
class MessageObserver {
 public:
  virtual ~MessageObserver() = default;
  virtual void sent(TransportRank to) = 0;
  virtual void received(TransportRank from) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual TransportRank rank() const = 0;
  virtual TransportRank size() const = 0;

  // Small messages. stage() returns a buffer of protocol::message_bytes; fill it, then post() its first
  // `bytes`. It never blocks: messages that MPI cannot take at once stay queued in order. Only one buffer is
  // staged at a time.
  virtual std::byte* stage() = 0;
  // `has_next` promises that the next message or body is posted at once and goes to the same rank. The two
  // may travel together.
  virtual void post(TransportRank to, std::size_t bytes, bool has_next = false) = 0;
  // Returns the oldest small message that has arrived; false if there is none.
  virtual bool receive(Message& message) = 0;

  // Sends the answers that wait for answers to the rest of a bundle.
  virtual void flush() {}

  // Bodies travel straight from and to the caller's memory, which must stay in place until done().
  virtual Ticket start_send(TransportRank to, int tag, std::span<const std::byte> body) = 0;
  // It completes only once a receive matches it, so that the sender cannot run ahead of the receiver.
  virtual Ticket start_synchronous_send(TransportRank to, int tag, std::span<const std::byte> body) = 0;
  virtual Ticket start_receive(TransportRank from, int tag, std::span<std::byte> body) = 0;
  // True once the body is complete, which spends the ticket. For receives it sets `received_bytes`.
  virtual bool done(Ticket ticket, std::size_t* received_bytes = nullptr) = 0;
  // Spends the ticket of a receive whose sender is lost. No byte arrives in its memory afterwards, but those
  // of a message that MPI has matched with it before and not yet brought to its end: then it returns false.
  virtual bool give_up(Ticket ticket) = 0;

  // Lets MPI move data of this wire and of the program's own MPI calls.
  virtual void progress() = 0;
  // Small messages that are posted but that MPI has not taken yet.
  virtual std::size_t unsent() const = 0;
  // True if one of the first `before` messages posted (see posted()) is to this rank and not sent yet.
  virtual bool has_unsent_to(TransportRank to, std::uint64_t before) const = 0;
  virtual std::uint64_t posted() const = 0;
  // Receivers are lost: it waits for nothing any more and never frees what MPI may still read. Returns true
  // if bodies are under way that MPI may still read from memory of the callers, or write to it.
  virtual bool abandon() { return false; }

  void set_observer(MessageObserver* observer) { observer_ = observer; }  // not owned; may be null

 protected:
  MessageObserver* observer_ = nullptr;
};

// A part of a process that takes small messages: the server, the origin, or the control messages.
//
// The loop of a process (progress rank or worker) receives from the transport, hands each message to the sink
// of its verb, and then lets every sink advance. All calls are made under the process's engine lock. Nothing
// in a sink blocks.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void on_message(const Message& message) = 0;
  // Moves whatever can move (bodies, queued requests). Returns how many moved.
  virtual unsigned advance() = 0;
  // The program now waits, or asks for progress: messages kept back to travel with others leave.
  virtual void before_wait() {}
  // Something is queued here or is a body on its way, which moves in advance() only.
  virtual bool has_to_advance() const { return false; }
};

}  // namespace comex::transport
