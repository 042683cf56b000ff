// Runs all remote operations of an origin: it sends requests under flow control and handles the replies.
//
// Each server has one ordered queue: operations reach it in program order. A write completes when its source
// may be reused, a get or rmw when its result is here, a lock when it is held, a fence when all earlier
// writes on that server have taken effect. Nothing blocks: the caller waits for the Completion through
// Engine, and for has_capacity() before each start. A refused operation marks its Completion, or its target
// if that is done already. Small operations may be appended to a batch instead (batches.h). Every call is
// made under the engine lock. Made by runtime; used by the callers of op/route.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/activity.h"
#include "core/operation.h"
#include "nb/completion.h"
#include "op/plan.h"
#include "op/remote/batches.h"
#include "op/remote/channels.h"
#include "op/remote/requests.h"
#include "op/remote/send_state.h"
#include "op/remote/transfers.h"
#include "op/remote_target.h"
#include "shm/outbox.h"
#include "transport/transport.h"

namespace comex::op {

struct RemoteOptions {
  Worker self = 0;
  Sizes sizes;
  std::uint32_t slots = protocol::slot_count;
  std::size_t max_outstanding = 8192;   // operations under way
  shm::Outbox outbox;                   // where batches collect; empty: there are no batches
  trace::Log* log = nullptr;            // of requests that are sent, with COMEX_TRACE
  activity::Word* under_way = nullptr;  // updated with the number of operations under way
  // Called, if set, when a server has refused an operation of this process and has printed why.
  std::function<void()> on_refusal;
};

class Remote final : public transport::Sink {
 public:
  Remote(transport::Transport& transport, const RemoteOptions& options);
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;

  void set_errors_return(bool on);

  // Wait for this before each start. It is only a bound: nothing breaks above it.
  bool has_capacity() const { return abandoned_ || outstanding() < max_outstanding_; }
  // Wait for this as well before appending, so that nothing is left here for lack of a credit.
  bool has_capacity(const RemoteTarget& far) {
    return has_capacity() && (!batches_.has_outbox() || !far.has_progress_rank ||
                              batches_.may_append(channels_.at(far.server)));
  }

  bool is_lost(TransportRank server) const {
    return !lost_.empty() && std::ranges::find(lost_, server) != lost_.end();
  }
  // How many requests to its server have had to wait here.
  std::uint64_t queued(const RemoteTarget& far) { return channels_.at(far.server).queued; }
  // Whether so many have left. Only a progress rank is certain to give the credits.
  bool have_left(const RemoteTarget& far, std::uint64_t queued) {
    if (!far.has_progress_rank || abandoned_ || is_lost(far.server)) return true;
    const Channel& channel = channels_.at(far.server);
    return channel.queue.empty() || channel.dequeued >= queued;
  }
  // Whether MPI has taken what has left when this is asked first, with *posted 0. With the rest it may go on
  // in calls of this process only.
  bool is_out(const RemoteTarget& far, std::uint64_t& posted) const {
    const transport::Transport& wire = state_.transport;
    if (wire.unsent() == 0 || !far.has_progress_rank || abandoned_ || is_lost(far.server)) return true;
    if (posted == 0) posted = wire.posted();
    return !wire.has_unsent_to(far.server, posted);
  }

  // Each adds one part to the completion unless it is complete on return. The address arrays of a vector may
  // be reused on return.
  void start(const Operation& operation, const RemoteTarget& far, nb::Completion& completion);
  void start_atomic(const AtomicOperation& operation, const RemoteTarget& far, nb::Completion& completion);
  // Appends the operation if it may, else starts it. One that blocks is never appended.
  void append_or_start(const Operation& operation, const RemoteTarget& far, nb::Completion& completion);
  void append_or_start(const AtomicOperation& operation, const RemoteTarget& far, nb::Completion& completion);
  remote::Batches& batches() { return batches_; }

  // Starts a contiguous put and a store of 8 bytes behind it, or an addition. If one of them is refused,
  // neither is done.
  void start_put_signal(Operation put, const void* far_word, std::uint64_t value, const RemoteTarget& far,
                        nb::Completion& completion, bool adds = false);
  // `mutex` is a number among those of the target; the server knows whether it exists.
  // *taken is protocol::not_taken, or what protocol::taken_value() gave.
  void start_lock(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion,
                  std::uint64_t* taken = nullptr) {
    start_with_mutex(protocol::Verb::lock, mutex, far, completion, taken);
  }
  void start_try_lock(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion,
                      std::uint64_t* taken) {
    start_with_mutex(protocol::Verb::try_lock, mutex, far, completion, taken);
  }
  // It is complete when it has left, or when it is answered if there is a place for the answer. Fences cover
  // it as a write.
  void start_release(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion,
                     std::uint64_t* answer = nullptr) {
    start_with_mutex(protocol::Verb::release, mutex, far, completion, answer);
  }

  // Nothing is sent to a clean server, but the fence is still a full memory fence.
  void start_fence(TransportRank server, nb::Completion& completion);
  void start_fence_all(nb::Completion& completion);
  // Also covers direct writes to kept memory whose mirrors this server keeps. It always sends a message.
  void start_fence_with_mirrors(const RemoteTarget& far, nb::Completion& completion);
  bool dirty() const { return state_.writes.any(); }
  bool dirty(TransportRank server) const {
    const Channel* const channel = channels_.find(server);
    return channel != nullptr && channel->is_dirty();
  }

  // Counts refused writes that no wait has reported; each is reported once.
  bool has_failures() const { return state_.writes.has_failures(); }
  std::uint64_t take_failures(const RemoteTarget& far) {
    return state_.writes.take_failures(far.server, far.gpid());
  }
  std::uint64_t take_failures() { return state_.writes.take_failures(); }
  void forget_told_losses() { state_.writes.forget_told_losses(); }

  // Is called after a fence of all: gives back memory that was not needed since the last time.
  void tidy();
  std::size_t channels() const { return channels_.size(); }  // for tests
  static constexpr std::size_t kept_channels = remote::Channels::kept;

  // Sends the last message to a server.
  void leave(TransportRank server, protocol::Leaving how = protocol::Leaving::together);

  // The servers are lost: all that is under way fails, and later operations fail at once. Returns how many
  // were under way. Memory that the transport may still use is kept until the end.
  std::size_t abandon();

  // The same for one server. A fence tells of its writes that were not known to have taken effect.
  void lose(TransportRank server);

  void on_message(const transport::Message& message) override;
  unsigned advance() override;
  void before_wait() override { batches_.close_all(); }
  bool quiet() const;  // nothing is queued, in flight or awaited
  bool has_to_advance() const override { return !waiting_.empty() || transfers_.is_moving(); }

 private:
  using Request = remote::Request;
  using Channel = remote::Channel;
  using Transfer = remote::Transfer;
  using Header = remote::Header;
  using Reply = protocol::ReplyHeader;

  // Requests to lost servers are kept, but nobody waits for them.
  std::size_t outstanding() const { return requests_.bounded() - given_up_ + batches_.unanswered(); }
  bool fails_at_once(const RemoteTarget& far, nb::Completion& completion) const {
    const bool has_lost_host = is_lost(far.server);
    if (!abandoned_ && !has_lost_host) return false;
    completion.fail(has_lost_host ? nb::OperationError::host_lost : nb::OperationError::reported);
    return true;
  }

  // These handle the queue of a server.
  void enqueue(Request* request);
  unsigned pump(Channel& channel);

  // Each sends a request whose turn it is. It returns true when all messages have left, false when something
  // that the next one needs is missing: a credit, a slot, or staging for its body.
  bool send(Channel& channel, Request& request);
  bool send(Channel& channel, Request& request, remote::Data& data);
  bool send(Channel& channel, Request& request, remote::Copied& copied);
  bool send(Channel& channel, Request& request, remote::WordRequest& word);
  bool send(Channel& channel, Request& request, const remote::Fence& fence);
  bool send(const Channel& channel, Request& request, const remote::Leave& leave);
  static bool send(const Channel&, const Request&, const remote::Awaited&) { return true; }

  // data_requests.cpp: sends puts, gets and accumulates that are in no batch, message by message
  void copy(Channel& channel, Request& request);
  bool may_send_next(const Channel& channel, const remote::Data& data) const;
  bool send_message(Channel& channel, Request& request, remote::Data& data);
  Transfer* begin_transfer(Channel& channel, Request& request, const remote::Data& data, Header& header);
  void end_sent(Channel& channel, Request& request, bool is_write);  // its last message has left

  // words.cpp: starts and sends what is one message on one word or mutex
  Request* make_word(protocol::Verb verb, const RemoteTarget& far, nb::Completion* completion);
  void start_with_mutex(protocol::Verb verb, std::uint64_t mutex, const RemoteTarget& far,
                        nb::Completion& completion, std::uint64_t* answer);

  // fences.cpp: starts and sends fences
  void start_fence(Channel& channel, nb::Completion& completion);
  void on_fence_answered(Channel& channel, bool failed);
  void end_fence(Channel& channel, Request& request, bool failed);
  void fetch_slots();

  // replies.cpp: handles replies
  void on_data(const Channel& channel, const Reply& reply, std::span<const std::byte> data);
  void on_refused(Channel& channel, const Reply& reply);
  void on_recall(Channel& channel);

  const std::size_t max_outstanding_;
  activity::Word* const under_way_;
  const std::function<void()> on_refusal_;
  bool abandoned_ = false;
  std::vector<TransportRank> lost_;  // servers
  std::size_t given_up_ = 0;         // requests to them, but locks
  remote::SendState state_;
  remote::Channels channels_{state_.writes};
  remote::Requests requests_{state_, channels_};
  remote::Transfers transfers_{state_, requests_};
  remote::Batches batches_;
  std::vector<Channel*> waiting_;  // channels with a queue
};

}  // namespace comex::op
