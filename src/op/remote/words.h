// Makes and sends operations of one message on one word or mutex: rmw, store, lock, unlock, release.
//
// A store and a release are writes: they have a number, and a fence covers them. The others hold a slot until
// they are answered, except unlock, which Fences sends on the reserved credit. Owned by op::Remote, which
// queues the requests and calls send() when it is their turn.
#pragma once

#include "op/remote/requests.h"
#include "op/remote/send_state.h"
#include "op/remote/transfers.h"

namespace comex::op::remote {

class Words {
 public:
  Words(SendState& state, Requests& requests, Transfers& transfers)
      : state_(state), requests_(requests), transfers_(transfers) {}

  Request* make_atomic(const AtomicOperation& operation, const RemoteTarget& far, nb::Completion& completion);
  // The value travels in the header, so the caller need not wait.
  Request* make_store(const void* far_word, std::uint64_t value, const RemoteTarget& far, std::uint8_t flags,
                      nb::Completion* sent);
  // `acquired` is the result of a try_lock.
  Request* make_lock(protocol::Verb verb, std::uint64_t mutex, const RemoteTarget& far,
                     nb::Completion& completion, std::uint64_t* acquired = nullptr);
  Request* make_unlock(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion);
  Request* make_release(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion);

  // Returns false if something that it needs is missing.
  bool send(Channel& channel, Request& request, WordRequest& word);

 private:
  Request* as_write(Request* request);

  SendState& state_;
  Requests& requests_;
  Transfers& transfers_;
};

}  // namespace comex::op::remote
