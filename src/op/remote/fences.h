// Makes and sends fences. Fences and unlocks share a reserved credit: one is under way to each server.
//
// Callers whose writes one fence covers wait for the same answer. A fence is not sent if all it covers is
// complete. Owned by op::Remote.
#pragma once

#include "op/remote/batches.h"
#include "op/remote/requests.h"
#include "op/remote/send_state.h"

namespace comex::op::remote {

class Fences {
 public:
  Fences(SendState& state, Channels& channels, Requests& requests, Batches& batches)
      : state_(state), channels_(channels), requests_(requests), batches_(batches) {}

  // Returns what is to be queued; null if the server is clean or an earlier fence covers this one.
  Request* start(Channel& channel, nb::Completion& completion);
  // For direct writes to kept memory that this server mirrors, of which it does not know.
  Request* start_with_mirrors(const RemoteTarget& far, nb::Completion& completion);
  // Sends a fence or an unlock; returns false if another one is under way.
  bool send(Channel& channel, Request& request, const Reserved& reserved);
  // The fence or unlock under way has been answered.
  void end_reserved(Channel& channel, bool failed);
  // Is called when no slot was free, and asks servers for the slots that are held.
  void fetch_slots();

 private:
  void end_fence(Channel& channel, Request& request, bool failed);

  SendState& state_;
  Channels& channels_;
  Requests& requests_;
  Batches& batches_;
};

}  // namespace comex::op::remote
