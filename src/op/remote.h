// The origin's engine for everything that travels: requests out under flow control, replies in.
//
// One ordered queue per server: operations of one origin reach a server in program order. A write
// completes when its source may be reused, a get or rmw when its result is here, a lock when it is
// held, a fence when all earlier writes on that server have taken effect. Nothing blocks; the caller
// waits for the Completion through Engine, and for has_room() before it starts an operation. A
// refused operation marks its Completion, or the target if that is done already.
//
// Every call is made under the engine lock. Made by runtime; started by op/route's callers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/operation.h"
#include "core/staging_room.h"
#include "nb/completion.h"
#include "nb/fence_ledger.h"
#include "nb/request_pool.h"
#include "nb/sweep.h"
#include "op/idle_peers.h"
#include "op/plan.h"
#include "op/remote_parts.h"
#include "op/remote_target.h"
#include "shm/outbox.h"
#include "transport/sink.h"

namespace comex::op {

struct RemoteOptions {
  Worker self = 0;
  Sizes sizes;
  std::uint32_t slots = protocol::slot_count;
  std::size_t max_outstanding = 8192;  // operations under way
  shm::Outbox outbox;                  // where batches collect; empty: append() takes nothing
};

class Remote final : public transport::Sink {
 public:
  Remote(transport::Transport& transport, const RemoteOptions& options);
  ~Remote() override;
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;

  void set_errors_return(bool on);

  // Wait for this before each start; it only bounds, nothing breaks above it.
  bool has_room() const { return abandoned_ || requests_.in_use() + unanswered_ < max_outstanding_; }
  // Wait for this as well before append(), so that nothing is left here for lack of a credit.
  bool has_room(const RemoteTarget& far) {
    return has_room() && (outbox_.size() == 0 || !far.is_attentive || may_append(channel_of(far.server)));
  }

  // Each adds one part to the completion unless it is complete on return. A vector's address
  // arrays may be reused on return.
  void start(const Operation& operation, const RemoteTarget& far, nb::Completion& completion);
  void start_atomic(const AtomicOperation& operation, const RemoteTarget& far, nb::Completion& completion);
  // Small contiguous operations travel with others: buffered until the message is full, anything else is
  // started on that server, the process has to wait, or its pusher sends them. False: start() it. The source
  // of a write is the caller's at once. What endpoints ask for is never taken.
  bool takes(std::uint64_t bytes) const { return outbox_.size() != 0 && bytes != 0 && bytes <= largest_item; }
  bool takes(const Operation& operation) const {
    return operation.layout == protocol::Layout::contiguous && takes(operation.patch.total_bytes());
  }
  bool append(const Operation& operation, const RemoteTarget& far);
  bool append_put(const void* near, const void* far_address, std::uint64_t bytes, const RemoteTarget& far,
                  protocol::Layout called = protocol::Layout::contiguous);
  bool append_acc(Scalar scalar, const void* scale, const void* near, const void* far_address,
                  std::uint64_t bytes, const RemoteTarget& far,
                  protocol::Layout called = protocol::Layout::contiguous);
  // The worker of the own world that was appended to last by this number, which is mostly the next as well;
  // null: another.
  const RemoteTarget* appended_to(Worker target, WorldId own) const {
    const RemoteTarget& far = appended_to_;
    return far.target == target && far.world == own && far.server != no_rank ? &far : nullptr;
  }
  // The same; the completion has a part until what is asked for is here.
  bool append_get(void* near, const void* far_address, std::uint64_t bytes, const RemoteTarget& far,
                  nb::Completion& completion, protocol::Layout called = protocol::Layout::contiguous);
  bool append_atomic(const AtomicOperation& operation, const RemoteTarget& far, nb::Completion& completion);

  // Something appended may not have left: any thread may ask, the one that appended knows.
  bool holds_batches() const { return holds_.load(std::memory_order_relaxed); }
  void send_batches();

  // Stores a word of 4 or 8 bytes after every earlier write of this origin on that target.
  void start_store(const void* far_word, unsigned bytes, std::uint64_t value, const RemoteTarget& far,
                   nb::Completion& completion);
  // A contiguous put, then a word of 8 bytes: both, or neither where one of them is refused.
  void start_put_signal(Operation put, const void* far_word, std::uint64_t value, const RemoteTarget& far,
                        nb::Completion& completion);
  // `mutex` is the number among the target's; the server knows whether there is such a one.
  void start_lock(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion);
  void start_try_lock(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion,
                      std::uint64_t* acquired);
  void start_unlock(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion);
  // For who holds it for certain: complete when it has left, and a write to the target, which a fence covers.
  void start_release(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion);

  // Nothing is sent to a clean server, which is still a full memory fence.
  void start_fence(TransportRank server, nb::Completion& completion);
  void start_fence_all(nb::Completion& completion);
  bool dirty() const { return ledger_.dirty(); }
  bool dirty(TransportRank server) const { return ledger_.dirty(server); }
  bool dirty(const RemoteTarget& far) const { return ledger_.dirty(far.server, far.gpid()); }

  // Refused writes that no wait has reported; each is told once.
  bool has_failures() const { return ledger_.has_failures(); }
  std::uint64_t take_failures(Gpid target) { return ledger_.take_failures(target); }
  std::uint64_t take_failures() { return ledger_.take_failures(); }

  // After a fence of all: what much traffic took is given back, but for what was needed since the last time.
  void tidy();
  std::size_t channels() const { return channels_.size(); }  // for tests
  static constexpr std::size_t kept_channels = 128;          // that are not looked through

  // The last message to a server.
  void leave(TransportRank server, protocol::Leaving how = protocol::Leaving::together);

  // The servers are lost: all that is under way fails, and whatever is started later fails at once. Returns
  // how many operations were under way. Memory that the transport may still look at stays until the end.
  std::size_t abandon();
  bool is_abandoned() const { return abandoned_; }

  void on_message(const transport::Message& message) override;
  unsigned advance() override;
  void before_wait() override { send_batches(); }
  bool quiet() const override;

 private:
  static constexpr std::uint64_t largest_item = 256;  // data bytes of a put, get or accumulate in a batch
  using Request = remote::Request;
  using Transfer = remote::Transfer;
  using Channel = remote::Channel;
  using Batch = remote::Batch;
  using ToldCall = remote::ToldCall;
  using ScaleWords = remote::ScaleWords;
  using Header = protocol::RequestHeader;
  using Reply = protocol::ReplyHeader;

  // remote.cpp: requests
  Channel& channel_of(TransportRank server) {
    return last_channel_ != nullptr && last_channel_->rank == server ? *last_channel_ : look_up(server);
  }
  Request* new_request(remote::Kind kind, const RemoteTarget& far, nb::Completion* completion);
  void begin_operation(Request& request, const Operation& operation);
  void copy_addresses(Request& request);
  void enqueue(Request* request);
  void release(Request* request);
  void part_done(Request* request, bool failed);

  // remote_rest.cpp
  Channel& look_up(TransportRank server);
  void retire_idle();

  // remote_abandon.cpp
  bool fails_at_once(nb::Completion& completion) const {
    if (abandoned_) completion.fail();
    return abandoned_;
  }
  static void fail_request(Request& request);

  // remote_flow.cpp: the queue of a server, credits, slots, staging
  unsigned pump(Channel& channel);
  bool send_head(Channel& channel, Request& request);
  bool has_credit(const Channel& channel) const { return channel.sent < channel.limit; }
  void note(Channel& channel, const Reply& reply);
  void surrender(Channel& channel);
  void release_held(Channel& channel);
  void fence_for_slots();
  std::byte* take_staging(Channel& channel);
  void give_back_staging(Channel& channel, std::byte* buffer);
  bool may_stage(const Channel& channel, unsigned buffers = 1) const;
  void post(Channel& channel, std::size_t bytes, bool has_next = false);
  void post_reserved(Channel& channel);
  void stamp(Channel& channel);
  void ride(Channel& channel);

  // remote_message.cpp: the bytes of a request
  std::uint8_t mode_flags() const {
    return errors_return_ ? std::uint8_t{protocol::errors_return} : std::uint8_t{0};
  }
  Header header_for(const Request& request) const;
  std::size_t write_message(const Request& request, const Header& header, std::byte* to);
  bool send_data(Channel& channel, Request& request);
  bool may_send_next(const Channel& channel, const Request& request) const;
  bool send_data_message(Channel& channel, Request& request);
  bool send_copied(Channel& channel, Request& request);
  bool copy_message(Channel& channel, Request& request);

  // remote_body.cpp: transfers with chunks
  Transfer* new_transfer(Channel& channel, Request& request, const Header& header);
  static unsigned chunks_under_way(std::uint64_t bytes, std::uint32_t chunk_bytes);
  unsigned chunks_a_buffer(std::uint32_t chunk_bytes) const;
  unsigned buffers_wanted(const Header& header) const;
  void begin_body(Channel& channel, Transfer& transfer);
  unsigned move_body(Transfer& transfer);
  unsigned send_chunks(Transfer& transfer);
  unsigned receive_chunks(Transfer& transfer);
  void end_transfer(Transfer* transfer, bool failed);

  // remote_word.cpp: rmw, store, locks
  void start_mutex(protocol::Verb verb, std::uint64_t mutex, const RemoteTarget& far,
                   nb::Completion& completion, std::uint64_t* acquired);
  void queue_store(const void* far_word, unsigned bytes, std::uint64_t value, const RemoteTarget& far,
                   std::uint8_t flags);
  void enqueue_write(Request* request);
  bool send_word(Channel& channel, Request& request);
  bool send_reserved(Channel& channel, Request& request);
  void end_fence(Channel& channel, Request& request, bool failed);

  // remote_batch.cpp: small operations that travel together
  bool may_append(const Channel& channel) const;
  bool open_batch(Channel& channel, const RemoteTarget& far);
  static bool is_taken(const Batch& batch) {
    return batch.word.items() != 0 && batch.buffer->look().bits() != batch.word.bits();
  }
  static bool repeats_last(const Batch& batch, const protocol::BatchItem& item, ScaleWords scale);
  bool has_place(const Batch& batch, std::size_t bytes, std::size_t answer, WorldId world) const;
  bool make_place(Channel& channel, const RemoteTarget& far);
  static void write_whole(Batch& batch, std::byte* to, const protocol::BatchItem& item, ScaleWords scale,
                          const RemoteTarget& far);
  bool publish_item(Batch& batch, std::size_t bytes, std::size_t answer);
  template <class Write>
  bool append_item(protocol::BatchItem item, ScaleWords scale, const RemoteTarget& far, const Write& write);
  void expect_answer(Channel& channel, const RemoteTarget& far);
  void await(Channel& channel, nb::Completion& completion, void* result, const protocol::BatchItem& item);
  bool close(Channel& channel, bool with_fence = false);
  void let_go(Channel& channel, Batch& batch);
  void on_data_batch(Channel& channel, const Reply& reply, std::span<const std::byte> data);
  bool refuse_answer(const Channel& channel, const Reply& reply);

  // remote_reply.cpp: what servers say
  Transfer* transfer_of(const Channel& channel, const Reply& reply) const;
  void on_data(Channel& channel, const Reply& reply, std::span<const std::byte> data);
  void on_done(Channel& channel, const Reply& reply);
  void on_refused(Channel& channel, const Reply& reply);
  void refuse_write(Channel& channel, const Reply& reply);
  Request* awaited(const Channel& channel, std::uint32_t call) const;
  static bool is_told(const Channel& channel, std::uint32_t call);
  void note_told(Channel& channel, std::uint32_t call);
  void end_write(const Request& request);
  void end_reserved(Channel& channel, bool failed);

  transport::Transport& transport_;
  const Worker self_;
  const Sizes sizes_;
  const std::size_t max_outstanding_;
  shm::Outbox outbox_;
  std::uint32_t next_buffer_ = 0;
  bool errors_return_ = false;
  bool slots_short_ = false;
  bool abandoned_ = false;

  nb::FenceLedger ledger_;
  nb::SlotTable slots_;
  nb::ObjectPool<Request> requests_;
  nb::ObjectPool<Transfer> transfers_;
  nb::ObjectPool<remote::Batch> batches_;
  std::atomic<bool> holds_{false};  // see holds_batches()
  std::size_t unanswered_ = 0;      // gets and rmws in batches
  std::unordered_map<TransportRank, Channel>
      channels_;                  // servers with something under way, and some that had
  remote::IdlePeers idle_peers_;  // the others
  nb::Sweep sweep_{kept_channels};
  Channel* last_channel_ = nullptr;
  RemoteTarget appended_to_;
  std::vector<Channel*> waiting_;  // channels with a queue
  std::vector<Channel*> open_;     // channels with an open batch or full ones, the oldest first
  std::vector<Transfer*> moving_;  // transfers with chunks to move
  std::vector<StagingRoom> staging_;
  std::vector<std::byte*> free_staging_;
  std::size_t most_staging_ = 0;  // in use at once since tidy()
};

}  // namespace comex::op
