// A part of a process that takes small messages: the server, the origin, or the control messages.
//
// The loop of a process (progress rank or worker) receives from the transport, hands each message to the sink
// of its verb, and then lets every sink advance. All calls are made under the process's engine lock. Nothing
// in a sink blocks.
#pragma once

#include "transport/transport.h"

namespace comex::transport {

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
