// Fences, and the reserved credit that fences and unlocks share: one of them is under way to each server.
//
// Callers whose writes one fence covers wait for the same answer. A fence rides on an open batch where there
// is one; a fence that nothing needs any more is not sent. Owned by op::Remote.
#pragma once

#include "op/remote/batches.h"
#include "op/remote/requests.h"
#include "op/remote/send_state.h"

namespace comex::op::remote {

class Fences {
 public:
  Fences(SendState& wire, Channels& channels, Requests& requests, Batches& batches)
      : state_(wire), channels_(channels), requests_(requests), batches_(batches) {}

  // What is to be queued; null: nothing, since the server is clean or a fence before covers this one.
  Request* start(TransportRank server, nb::Completion& completion);
  // Fence or unlock; false: another one is under way.
  bool send(Channel& channel, Request& request, const Reserved& reserved);
  // The one under way has been answered.
  void end_reserved(Channel& channel, bool failed);
  // No slot was free: asks for those that are held.
  void fetch_slots();

 private:
  void ride(Channel& channel);
  void end_fence(Channel& channel, Request& request, bool failed);

  SendState& state_;
  Channels& channels_;
  Requests& requests_;
  Batches& batches_;
};

}  // namespace comex::op::remote
