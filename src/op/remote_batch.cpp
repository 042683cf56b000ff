// Batches: small operations written one behind the other into a buffer of the outbox. The message leaves
// when it is full, when anything else is started on its server, when the process has something to wait for,
// or when the pusher of the host finds that it has been lying there. It has its credit and its place in the
// order from the beginning, so each of these is free to send it at any time.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "kernels/copy.h"
#include "op/remote.h"

namespace comex::op {

using protocol::Atomic;
using protocol::BatchItem;
using protocol::RepeatedItem;
using protocol::Verb;
using remote::Kind;
using shm::OutboxWord;

namespace {

remote::ScaleWords words_of(const void* scale, std::size_t bytes) {
  remote::ScaleWords words;
  std::uint32_t half = 0;
  switch (bytes) {
    case sizeof half:
      std::memcpy(&half, scale, sizeof half);
      words.low = half;
      break;
    case sizeof words.low:
      std::memcpy(&words.low, scale, sizeof words.low);
      break;
    default:
      std::memcpy(&words, scale, sizeof words);
      break;
  }
  return words;
}

}  // namespace

// One more item of any kind finds a place, or need not wait for a credit.
bool Remote::may_append(const Channel& channel) const {
  constexpr std::size_t head = sizeof(BatchItem) + sizeof(Naming);
  if (has_credit(channel)) return true;
  return channel.batch != nullptr &&
         channel.batch->room.with(head + sizeof(Scale) + largest_item, 0).is_kept(sizes_.message_bytes) &&
         channel.batch->room.with(head, largest_item).is_kept(sizes_.message_bytes) &&
         channel.batch->buffer->look().bits() == channel.batch->word.bits();  // else it is another's by now
}

bool Remote::open_batch(Channel& channel, const RemoteTarget& far) {
  if (!channel.queue.empty() || !has_credit(channel)) return false;
  const auto find_free = [this]() -> shm::OutboxBuffer* {
    for (std::uint32_t i = 0; i < outbox_.size(); ++i) {
      shm::OutboxBuffer& buffer = outbox_[next_buffer_++ % outbox_.size()];
      if (buffer.look().state() == OutboxWord::State::free) return &buffer;
    }
    return nullptr;
  };
  shm::OutboxBuffer* buffer = find_free();
  if (buffer == nullptr && !open_.empty()) {
    close(*open_.front());
    buffer = find_free();
  }
  if (buffer == nullptr) return false;  // the pusher is at all of them
  Header header;
  header.verb = Verb::batch;
  header.flags = mode_flags() | protocol::non_blocking;
  header.world = far.world;
  header.target = static_cast<Worker>(transport_.rank());
  header.origin = self_;
  header.number = ledger_.issued(channel.rank) + 1;
  header.sequence = ++channel.sequence;
  ++channel.sent;
  buffer->to = channel.rank;
  std::memcpy(buffer->message, &header, sizeof header);
  Batch* batch = channel.batch = batches_.take();
  batch->channel = &channel;
  batch->world = channel.world = far.world;
  batch->buffer = buffer;
  batch->word = buffer->look().opened(sizeof header);
  batch->number = header.number;
  batch->answers.clear();
  batch->room = {};
  batch->transfer = nullptr;
  open_.push_back(&channel);
  holds_.store(true, std::memory_order_relaxed);
  return true;
}

inline bool Remote::repeats_last(const Batch& batch, const BatchItem& item, ScaleWords scale) {
  const auto step = static_cast<std::int64_t>(item.offset - batch.last.offset);
  return batch.word.items() != 0 && protocol::is_alike(batch.last, item) && !protocol::is_named(item) &&
         step == static_cast<std::int32_t>(step) && (item.verb != Verb::acc || batch.last_scale == scale);
}

// So much goes into the open batch. A batch that the pusher has taken has lost its buffer, which may be
// another channel's by now: nothing may be written there. Taken after this look, it stays the pusher's or
// free, since only this worker opens buffers.
inline bool Remote::has_place(const Batch& batch, std::size_t bytes, std::size_t answer,
                              WorldId world) const {
  return batch.world == world && batch.room.with(bytes, answer).is_kept(sizes_.message_bytes) &&
         !is_taken(batch);
}

// A new batch; false if none can be had.
bool Remote::make_place(Channel& channel, const RemoteTarget& far) {
  if (channel.batch != nullptr) close(channel);
  return open_batch(channel, far);
}

// An item at its place. The first in its batch, or one that repeats nothing.
inline void Remote::write_whole(Batch& batch, std::byte* to, const BatchItem& item, ScaleWords scale,
                                const RemoteTarget& far) {
  ::new (static_cast<void*>(to)) BatchItem(item);
  if (protocol::is_named(item)) ::new (static_cast<void*>(to + sizeof item)) Naming(far.named);
  if (item.verb == Verb::acc) {
    std::memcpy(to + protocol::head_bytes(item), &scale, protocol::scale_bytes(item));
    batch.last_scale = scale;
  }
  batch.last = item;
}

// What has been written counts from now on; false: the pusher has taken the batch without it.
inline bool Remote::publish_item(Batch& batch, std::size_t bytes, std::size_t answer) {
  const OutboxWord next = batch.word.with_item(bytes, answer != 0);
  if (batch.word.items() == 0) {
    outbox_.begin(*batch.buffer);
    batch.buffer->word.store(next.bits(), std::memory_order_release);
    outbox_.announce();
  } else if (!batch.buffer->replace(batch.word, next)) {
    return false;
  }
  batch.word = next;
  batch.room = batch.room.with(bytes, answer);
  return true;
}

template <class Write>
bool Remote::append_item(BatchItem item, ScaleWords scale, const RemoteTarget& far, const Write& write) {
  if (far.by) return false;  // a batch has one origin
  if (far.named) item.detail |= protocol::named_item;
  Channel& channel = channel_of(far.server);
  const std::size_t answer = protocol::answer_bytes(item);
  for (;;) {
    bool repeats = channel.batch != nullptr && repeats_last(*channel.batch, item, scale);
    std::size_t bytes = repeats ? protocol::repeated_bytes(item) : protocol::item_bytes(item);
    if (channel.batch == nullptr || !has_place(*channel.batch, bytes, answer, far.world)) {
      if (!make_place(channel, far)) return false;
      repeats = false;
      bytes = protocol::item_bytes(item);
    }
    Batch& batch = *channel.batch;
    std::byte* const to = batch.buffer->message + batch.word.bytes();
    if (repeats) {
      const auto step = static_cast<std::int32_t>(item.offset - batch.last.offset);
      ::new (static_cast<void*>(to)) RepeatedItem{.step = step};
      batch.last.offset = item.offset;
    } else {
      write_whole(batch, to, item, scale, far);
    }
    write(to + (bytes - protocol::load_bytes(item)));
    if (publish_item(batch, bytes, answer)) break;
    close(channel);
  }
  ledger_.issue_at_once(channel.rank, far.gpid());
  channel.last_fence = nullptr;
  if (&far != &appended_to_ && !far.named) appended_to_ = far;
  return true;
}

bool Remote::append(const Operation& operation, const RemoteTarget& far) {
  if (operation.action == Action::get || !takes(operation)) return false;
  const std::uint64_t bytes = operation.patch.total_bytes();
  if (operation.action == Action::put)
    return append_put(operation.near, operation.far, bytes, far, operation.called);
  return append_acc(operation.scalar, operation.scale.bytes, operation.near, operation.far, bytes, far,
                    operation.called);
}

bool Remote::append_put(const void* near, const void* far_address, std::uint64_t bytes,
                        const RemoteTarget& far, protocol::Layout called) {
  if (!takes(bytes)) return false;
  const BatchItem item{Verb::put, protocol::detail_of(Scalar::none, called),
                       static_cast<std::uint16_t>(bytes), far.target, far.offset_of(far_address)};
  return append_item(item, {}, far, [&](std::byte* to) { kernels::copy_bytes(to, near, bytes); });
}

bool Remote::append_acc(Scalar scalar, const void* scale, const void* near, const void* far_address,
                        std::uint64_t bytes, const RemoteTarget& far, protocol::Layout called) {
  if (!takes(bytes)) return false;
  const BatchItem item{Verb::acc, protocol::detail_of(scalar, called), static_cast<std::uint16_t>(bytes),
                       far.target, far.offset_of(far_address)};
  return append_item(item, words_of(scale, scalar_bytes(scalar)), far,
                     [&](std::byte* to) { kernels::copy_bytes(to, near, bytes); });
}

// Nothing here asks whether the servers are lost: who may have to give them up has no outbox.

// Before the first item of the open batch that has one is published.
void Remote::expect_answer(Channel& channel, const RemoteTarget& far) {
  Batch& batch = *channel.batch;
  if (batch.transfer != nullptr) return;
  Request* request = new_request(Kind::batch, far, nullptr);
  request->batch = &batch;
  batch.transfer = new_transfer(channel, *request, {});
  COMEX_BUG_IF(batch.transfer == nullptr);
  batch.transfer->verb = Verb::batch;
  batch.buffer->slot = batch.transfer->slot;
}

// The answer to the item that was appended last.
void Remote::await(Channel& channel, nb::Completion& completion, void* result, const BatchItem& item) {
  Batch& batch = *channel.batch;
  batch.answers.push_back({&completion, result, batch.word.items() - 1, item.bytes, false});
  completion.add();
  ++unanswered_;
}

bool Remote::append_get(void* near, const void* far_address, std::uint64_t bytes, const RemoteTarget& far,
                        nb::Completion& completion, protocol::Layout called) {
  // A slot for it: one that a batch gives back on the way is as good.
  if (!takes(bytes) || slots_.available() == 0) return false;
  const BatchItem item{Verb::get, protocol::detail_of(Scalar::none, called),
                       static_cast<std::uint16_t>(bytes), far.target, far.offset_of(far_address)};
  Channel& channel = channel_of(far.server);
  if (!append_item(item, {}, far, [&](std::byte*) { expect_answer(channel, far); })) return false;
  await(channel, completion, near, item);
  return true;
}

bool Remote::append_atomic(const AtomicOperation& operation, const RemoteTarget& far,
                           nb::Completion& completion) {
  if (outbox_.size() == 0 || slots_.available() == 0) return false;
  const unsigned bytes = scalar_bytes(operation.scalar);
  BatchItem item;
  item.verb = Verb::rmw;
  item.detail = static_cast<std::uint8_t>(operation.atomic);
  item.bytes = static_cast<std::uint16_t>(bytes);
  item.target = far.target;
  item.offset = far.offset_of(operation.far);
  std::uint64_t words[2] = {static_cast<std::uint64_t>(operation.operand), 0};
  if (operation.atomic == Atomic::swap || operation.atomic == Atomic::compare_swap) {
    words[0] = 0;
    std::memcpy(&words[0], operation.near, bytes);
  }
  if (operation.atomic == Atomic::compare_swap) std::memcpy(&words[1], operation.near + bytes, bytes);
  Channel& channel = channel_of(far.server);
  const bool is_taken = append_item(item, {}, far, [&](std::byte* to) {
    expect_answer(channel, far);
    std::memcpy(to, &words[0], sizeof words[0]);
    if (operation.atomic == Atomic::compare_swap)
      std::memcpy(to + sizeof words[0], &words[1], sizeof words[1]);
  });
  if (!is_taken) return false;
  await(channel, completion, operation.near, item);
  return true;
}

// Sends the open batch; false: the pusher has sent it, without the fence.
bool Remote::close(Channel& channel, bool with_fence) {
  Batch& batch = *channel.batch;
  const bool is_mine = batch.buffer->replace(batch.word, batch.word.in(OutboxWord::State::free));
  if (is_mine) {  // nobody else opens its buffer again
    const std::uint8_t flags = with_fence ? std::uint8_t{protocol::fence_rides} : std::uint8_t{0};
    transport_.post(channel.rank, batch.buffer->copy_to(transport_.stage(), batch.word, flags));
  }
  let_go(channel, batch);
  return is_mine;
}

// The open batch has left, whoever has sent it.
void Remote::let_go(Channel& channel, Batch& batch) {
  channel.batch = nullptr;
  std::erase(open_, &channel);
  holds_.store(!open_.empty(), std::memory_order_relaxed);
  const bool has_answer = !batch.answers.empty();
  Transfer* transfer = batch.transfer;
  if (!has_answer) batches_.give_back(&batch);
  if (transfer == nullptr) return;
  transfer->request->sent = true;
  if (!has_answer) end_transfer(transfer, false);  // what it was for came too late
}

void Remote::send_batches() {
  while (!open_.empty()) close(*open_.back());
}

void Remote::on_data_batch(Channel& channel, const Reply& reply, std::span<const std::byte> data) {
  Transfer* transfer = transfer_of(channel, reply);
  COMEX_BUG_IF(transfer == nullptr || transfer->verb != Verb::batch);
  Batch& batch = *transfer->request->batch;
  if (channel.batch == &batch) let_go(channel, batch);  // the pusher was quick
  COMEX_BUG_IF(data.size() != batch.room.answers);
  const std::byte* at = data.data();
  for (const Batch::Answer& answer : batch.answers) {
    if (answer.failed) {
      answer.completion->fail();
    } else {
      kernels::copy_bytes(static_cast<std::byte*>(answer.result), at, answer.bytes);
    }
    at += protocol::padded(answer.bytes);
    answer.completion->complete();
  }
  unanswered_ -= batch.answers.size();
  batches_.give_back(&batch);
  end_transfer(transfer, false);
}

// True if it is about a get or rmw of a batch, whose answers are still to come.
bool Remote::refuse_answer(const Channel& channel, const Reply& reply) {
  if (reply.refused_verb != Verb::get && reply.refused_verb != Verb::rmw) return false;
  const Transfer* transfer = transfer_of(channel, reply);
  if (transfer == nullptr || transfer->verb != Verb::batch) return false;
  Batch& batch = *transfer->request->batch;
  for (Batch::Answer& answer : batch.answers) {
    if (batch.number + answer.item == reply.value) answer.failed = true;
  }
  return true;
}

}  // namespace comex::op
