// Collects small operations in batches, one behind the other in a buffer of the outbox.
//
// A batch is sent when it is full, when anything else is started on its server, when the process has to wait,
// or when the pusher finds that it has been open for long. It has its credit and its place in the order from
// the beginning, so either process may send it at any time. Owned by op::Remote. A process that may have to
// give up servers has no outbox, so nothing here asks whether they are lost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/batch_size.h"
#include "nb/object_pool.h"
#include "op/remote/requests.h"
#include "op/remote/send_state.h"
#include "op/remote/transfers.h"
#include "shm/outbox.h"

namespace comex::op::remote {

// The scale of an accumulate, zero beyond its bytes. The two words stay in registers.
struct ScaleWords {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const ScaleWords&) const = default;
};

// Operations that collect in a buffer. Once sent, it is kept until its gets and rmws are answered.
struct Batch {
  struct Answer {  // awaited by a get or rmw
    nb::Completion* completion = nullptr;
    void* result = nullptr;  // null: nobody wants it
    std::uint32_t item = 0;
    std::uint16_t bytes = 0;
    bool failed = false;
  };
  WorldId world = 0;
  shm::OutboxBuffer* buffer = nullptr;
  shm::OutboxWord word;      // as this worker has left it; the pusher may have changed it since
  std::uint64_t number = 0;  // of the first item
  protocol::BatchItem last;  // item, where there is one
  ScaleWords last_scale;     // acc
  std::vector<Answer> answers;
  BatchSize size;
  Transfer* transfer = nullptr;  // once there is a get or rmw; it has a request of its own

  bool is_taken() const { return word.items() != 0 && buffer->look().bits() != word.bits(); }
};

class Batches {
 public:
  Batches(SendState& state, Channels& channels, Requests& requests, Transfers& transfers, shm::Outbox outbox)
      : state_(state), channels_(channels), requests_(requests), transfers_(transfers), outbox_(outbox) {}

  bool has_outbox() const { return outbox_.size() != 0; }
  static bool is_small(std::uint64_t bytes) { return bytes != 0 && bytes <= largest_item; }
  bool takes(std::uint64_t bytes) const { return has_outbox() && is_small(bytes); }
  // Whether one more item of any kind finds a place, or need not wait for a credit.
  bool may_append(const Channel& channel) const;
  // Each appends a small contiguous operation; accumulates are sums here. A source may be reused at once, and
  // of a get or an rmw the completion has a part until the result is here. Each returns false if the
  // operation has to be started by itself, as those of endpoints always have.
  bool append(const Operation& operation, const RemoteTarget& far, nb::Completion& completion);
  bool append_put(const void* near, const void* far_address, std::uint64_t bytes, const RemoteTarget& far,
                  protocol::Layout called = protocol::Layout::contiguous);
  bool append_acc(const Scaling& scaling, const void* near, const void* far_address, std::uint64_t bytes,
                  const RemoteTarget& far, protocol::Layout called = protocol::Layout::contiguous);
  bool append_get(void* near, const void* far_address, std::uint64_t bytes, const RemoteTarget& far,
                  nb::Completion& completion, protocol::Layout called = protocol::Layout::contiguous);
  bool append_atomic(const AtomicOperation& operation, const RemoteTarget& far, nb::Completion& completion);
  // Returns the target of the last append if it was this worker of the own world, else null.
  const RemoteTarget* appended_to(Worker target, WorldId own) const {
    const bool is_it =
        appended_to_.target == target && appended_to_.world == own && appended_to_.server != no_rank;
    return is_it ? &appended_to_ : nullptr;
  }

  // Sends the open batch of a channel, unless the pusher has sent it. `has_next`: another message to this
  // server follows at once.
  void close(Channel& channel, bool has_next = false);
  void close_all();
  // Whether appended items may not have left. Any thread may ask; the one that appended knows for certain.
  bool holds_any() const { return holds_.load(std::memory_order_relaxed); }

  void on_answers(Channel& channel, const protocol::ReplyHeader& reply, std::span<const std::byte> data);
  // True if the refusal is about a get or rmw of a batch, whose answers are still to come.
  bool note_refused(const Channel& channel, const protocol::ReplyHeader& reply);

  std::size_t in_use() const { return pool_.in_use(); }
  std::size_t unanswered() const { return unanswered_; }
  void tidy() { pool_.tidy(); }

 private:
  static constexpr std::uint64_t largest_item = 256;  // data bytes of a put, get or accumulate

  shm::OutboxBuffer* find_free();
  bool open(Channel& channel, const RemoteTarget& far);
  bool has_place(const Batch& batch, std::size_t bytes, std::size_t answer, WorldId world) const;
  bool publish(Batch& batch, std::size_t bytes, std::size_t answer);
  template <class Write>
  bool append_item(protocol::BatchItem item, ScaleWords scale, const RemoteTarget& far, const Write& write);
  void expect_answer(Channel& channel, const RemoteTarget& far);
  void await(Channel& channel, nb::Completion& completion, void* result, const protocol::BatchItem& item);
  void let_go(Channel& channel, Batch& batch);

  SendState& state_;
  Channels& channels_;
  Requests& requests_;
  Transfers& transfers_;
  shm::Outbox outbox_;
  std::uint32_t next_buffer_ = 0;
  nb::ObjectPool<Batch> pool_;
  std::vector<Channel*> open_;  // channels with an open batch, the oldest first
  std::atomic<bool> holds_{false};
  std::size_t unanswered_ = 0;  // gets and rmws
  RemoteTarget appended_to_;
};

}  // namespace comex::op::remote
