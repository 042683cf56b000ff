// One side of a process that small messages are handed to: the server, the origin, the tokens.
//
// The pump of a process (progress rank or worker) receives from the transport and hands each
// message to the sink of its verb, then lets every sink advance. All calls are made under the
// process's engine lock; nothing in a sink blocks.
#pragma once

#include "transport/transport.h"

namespace comex::transport {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void on_message(const Message& message) = 0;
  // A look found nothing more: whatever is handed over later has arrived since.
  virtual void on_all_taken() {}
  // Moves whatever can move (bodies, queued requests); returns how many things moved.
  virtual unsigned advance() = 0;
  // The program waits from here on, or asks for progress: what was kept back for company leaves.
  virtual void before_wait() {}
  // Nothing is queued, in flight or awaited here, so its owner may sleep until a message comes.
  virtual bool quiet() const = 0;
};

}  // namespace comex::transport
