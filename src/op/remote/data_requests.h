// Puts, gets and accumulates that travel by themselves: their start, and their messages one by one.
//
// A message goes when there is a credit, a slot if it needs one and staging for its body. Owned by
// op::Remote, which queues what is made here and asks for its turn to be sent.
#pragma once

#include "op/remote/requests.h"
#include "op/remote/send_state.h"
#include "op/remote/transfers.h"

namespace comex::op::remote {

class DataRequests {
 public:
  DataRequests(SendState& wire, Requests& requests, Transfers& transfers)
      : state_(wire), requests_(requests), transfers_(transfers) {}

  // The caller's arrays of addresses are its own again on return.
  Request* make(const Operation& operation, const Plan& plan, const RemoteTarget& far,
                nb::Completion& completion);
  // True when all messages have left; false when something that the next one needs is missing.
  bool send(Channel& channel, Request& request, Data& data);
  bool send(Channel& channel, Request& request, Copied& copied);
  // Lets the caller of a small write go on although the write has to wait for a credit.
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
