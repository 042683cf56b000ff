// Requests from their making to their end, and which busy_tries of their calls have been told.
//
// A request ends when its last message has left and its last transfer is over; its completion is told then.
// Of one call of many messages one refusal is told: by the wait for it, else by the next fence of the target.
// Owned by op::Remote; the parts make requests here, and Transfers says when one of its transfers is over.
#pragma once

#include <cstddef>
#include <utility>

#include "op/remote/channels.h"
#include "op/remote/request.h"
#include "op/remote/send_state.h"

namespace comex::op::remote {

class Requests {
 public:
  Requests(SendState& wire, Channels& channels) : state_(wire), channels_(channels) {}

  template <class What, class... Arguments>
  Request* make(const RemoteTarget& far, nb::Completion* completion, Arguments&&... arguments) {
    Request* const request = pool_.take();
    request->channel = &channels_.at(far.server);
    request->far = far;
    request->completion = completion;
    request->failed = request->sent = false;
    request->parts = 0;
    request->joined.clear();
    request->what.emplace<What>(std::forward<Arguments>(arguments)...);
    if (completion != nullptr) completion->add();
    return request;
  }
  // One part, or the sending itself, is over.
  void part_done(Request* request, bool failed);
  void release(Request* request);
  // Tells everybody who waits for it, when its server is lost. It is never looked at again.
  static void fail(Request& request);

  // A write was refused that has no transfer any more, or never had one.
  void refuse_write(Channel& channel, const protocol::ReplyHeader& reply);

  std::size_t in_use() const { return pool_.in_use(); }
  void tidy() { pool_.tidy(); }

 private:
  Request* awaited(const Channel& channel, std::uint32_t call) const;
  void note_told(Channel& channel, std::uint32_t call);
  void end_call(const Request& request, std::uint32_t call);

  SendState& state_;
  Channels& channels_;
  nb::ObjectPool<Request> pool_;
};

}  // namespace comex::op::remote
