// Makes and ends requests.
//
// A request ends when its last message has left and its last transfer is over; then its completion is
// reported. A call of many messages tells one refusal: to the wait for it, or else to the next fence of the
// target. Owned by op::Remote; its parts make requests here, and Transfers says when a transfer is over.
#pragma once

#include <cstddef>
#include <utility>

#include "nb/object_pool.h"
#include "op/remote/channels.h"
#include "op/remote/request.h"
#include "op/remote/send_state.h"

namespace comex::op::remote {

class Requests {
 public:
  Requests(SendState& state, Channels& channels) : state_(state), channels_(channels) {}

  template <class What, class... Arguments>
  Request* make(const RemoteTarget& far, nb::Completion* completion, Arguments&&... arguments) {
    Request* const request = pool_.take();
    request->channel = &channels_.at(far.server);
    request->channel->world = far.world;
    request->far = far;
    request->completion = completion;
    request->failed = request->sent = false;
    request->errors_return = state_.errors_return;
    request->parts = 0;
    request->joined.clear();
    request->what.emplace<What>(std::forward<Arguments>(arguments)...);
    if (completion != nullptr) completion->add();
    return request;
  }
  // A part of the request, or its sending, is over.
  void part_done(Request* request, bool failed);
  void release(Request* request);
  // Completes all that wait for it as failed when its server is lost. It is not used again.
  static void fail(Request& request, nb::OperationError why);

  // Handles the refusal of a write that has no transfer any more, or never had one.
  void refuse_write(Channel& channel, const protocol::ReplyHeader& reply);

  // Without the locks, which wait for as long as others hold their mutexes.
  std::size_t bounded() const { return pool_.in_use() - locks_; }
  std::size_t in_use() const { return pool_.in_use(); }
  static bool is_lock(const Request& request) {
    const auto* const word = std::get_if<WordRequest>(&request.what);
    return word != nullptr && word->header.verb == protocol::Verb::lock;
  }
  void note_lock() { ++locks_; }
  void tidy() { pool_.tidy(); }

 private:
  Request* awaited(const Channel& channel, std::uint32_t call) const;

  SendState& state_;
  Channels& channels_;
  nb::ObjectPool<Request> pool_;
  std::size_t locks_ = 0;  // of those in use
};

}  // namespace comex::op::remote
