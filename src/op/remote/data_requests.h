// Makes requests of puts, gets and accumulates that are in no batch, and sends their messages one by one.
//
// A message is sent when there is a credit, a slot if it needs one, and staging for its body. Owned by
// op::Remote, which queues the requests and calls send() when it is their turn.
#pragma once

#include "op/remote/requests.h"
#include "op/remote/send_state.h"
#include "op/remote/transfers.h"

namespace comex::op::remote {

class DataRequests {
 public:
  DataRequests(SendState& state, Requests& requests, Transfers& transfers)
      : state_(state), requests_(requests), transfers_(transfers) {}

  // The caller may reuse its arrays of addresses on return.
  Request* make(const Operation& operation, const Plan& plan, const RemoteTarget& far,
                nb::Completion& completion);
  // Returns true when all messages have left, false when the next one lacks something that it needs.
  bool send(Channel& channel, Request& request, Data& data);
  bool send(Channel& channel, Request& request, Copied& copied);
  // Copies a small write that has to wait for a credit, so that its caller need not wait.
  void copy(Channel& channel, Request& request);

 private:
  bool may_send_next(const Channel& channel, const Data& data) const;
  bool send_message(Channel& channel, Request& request, Data& data);
  Transfer* begin_transfer(Channel& channel, Request& request, const Data& data, Header& header);

  SendState& state_;
  Requests& requests_;
  Transfers& transfers_;
};

}  // namespace comex::op::remote
