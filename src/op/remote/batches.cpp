#include "op/remote/batches.h"

#include <cstring>
#include <new>

#include "kernels/copy.h"

namespace comex::op::remote {

using protocol::Atomic;
using protocol::BatchItem;
using protocol::RepeatedItem;
using protocol::Verb;
using shm::OutboxWord;

namespace {

ScaleWords words_of(const Scaling& scaling) {
  ScaleWords words;
  std::uint32_t half = 0;
  switch (scalar_bytes(scaling.scalar)) {
    case sizeof half:
      std::memcpy(&half, scaling.factor, sizeof half);
      words.low = half;
      break;
    case sizeof words.low:
      std::memcpy(&words.low, scaling.factor, sizeof words.low);
      break;
    default:
      std::memcpy(&words, scaling.factor, sizeof words);
      break;
  }
  return words;
}

BatchItem item_of(Verb verb, std::uint8_t detail, std::uint64_t bytes, const RemoteTarget& far,
                  const void* far_address) {
  return {verb, detail, static_cast<std::uint16_t>(bytes), far.target, far.offset_of(far_address)};
}

bool repeats_last(const Batch& batch, const BatchItem& item, ScaleWords scale) {
  const auto step = static_cast<std::int64_t>(item.offset - batch.last.offset);
  return batch.word.items() != 0 && protocol::is_alike(batch.last, item) && !protocol::is_named(item) &&
         step == static_cast<std::int32_t>(step) && (item.verb != Verb::acc || batch.last_scale == scale);
}

// Writes an item that is the first of its batch or repeats nothing.
void write_whole(Batch& batch, std::byte* to, const BatchItem& item, ScaleWords scale,
                 const RemoteTarget& far) {
  ::new (static_cast<void*>(to)) BatchItem(item);
  if (protocol::is_named(item)) ::new (static_cast<void*>(to + sizeof item)) TargetName(far.named);
  if (item.verb == Verb::acc) {
    std::memcpy(to + protocol::head_bytes(item), &scale, protocol::scale_bytes(item));
    batch.last_scale = scale;
  }
  batch.last = item;
}

}  // namespace

bool Batches::may_append(const Channel& channel) const {
  constexpr std::size_t head = sizeof(BatchItem) + sizeof(TargetName);
  if (channel.has_credit()) return true;
  const Batch* const batch = channel.batch;
  const std::uint32_t limit = state_.sizes.message_bytes;
  return batch != nullptr && batch->size.with(head + sizeof(Scale) + largest_item, 0).fits(limit) &&
         batch->size.with(head, largest_item).fits(limit) &&
         batch->buffer->look().bits() == batch->word.bits();  // else the buffer has been taken
}

// Returns null if the pusher is sending from all buffers.
shm::OutboxBuffer* Batches::find_free() {
  for (std::uint32_t i = 0; i < outbox_.size(); ++i) {
    shm::OutboxBuffer& buffer = outbox_[next_buffer_++ % outbox_.size()];
    if (buffer.look().state() == OutboxWord::State::free) return &buffer;
  }
  return nullptr;
}

// Opens a new batch; returns false if that is not possible now.
bool Batches::open(Channel& channel, const RemoteTarget& far) {
  if (!channel.queue.empty() || !channel.has_credit()) return false;
  shm::OutboxBuffer* buffer = find_free();
  if (buffer == nullptr && !open_.empty()) {
    close(*open_.front());
    buffer = find_free();
  }
  if (buffer == nullptr) return false;
  channel.world = far.world;
  Header header = make_header(Verb::batch, channel.itself(), state_.sender(state_.errors_return));
  header.flags |= protocol::non_blocking;
  header.set_batch_rank(state_.transport.rank());
  header.number = channel.issued + 1;
  header.sequence = ++channel.sequence;
  state_.note_sent(channel, Verb::batch);
  ++channel.sent;
  buffer->to = channel.rank;
  std::memcpy(buffer->message, &header, sizeof header);
  Batch* const batch = channel.batch = pool_.take();
  batch->world = far.world;
  batch->buffer = buffer;
  batch->word = buffer->look().opened(sizeof header);
  batch->number = header.number;
  batch->answers.clear();
  batch->size = {};
  batch->transfer = nullptr;
  open_.push_back(&channel);
  holds_.store(true, std::memory_order_relaxed);
  return true;
}

// Whether so much fits into the open batch. A batch that the pusher has taken has lost its buffer, which may
// belong to another channel by now, so nothing may be written there. If it is taken after this look, the
// buffer stays taken or free, since only this worker opens buffers.
inline bool Batches::has_place(const Batch& batch, std::size_t bytes, std::size_t answer,
                               WorldId world) const {
  return batch.world == world && batch.size.with(bytes, answer).fits(state_.sizes.message_bytes) &&
         !batch.is_taken();
}

// Makes the written bytes count; returns false if the pusher has taken the batch without them.
inline bool Batches::publish(Batch& batch, std::size_t bytes, std::size_t answer) {
  const OutboxWord next = batch.word.with_item(bytes, answer != 0);
  if (batch.word.items() == 0) {
    outbox_.begin(*batch.buffer);
    batch.buffer->word.store(next.bits(), std::memory_order_release);
    outbox_.announce();
  } else if (!batch.buffer->replace(batch.word, next)) {
    return false;
  }
  batch.word = next;
  batch.size = batch.size.with(bytes, answer);
  return true;
}

template <class Write>
bool Batches::append_item(BatchItem item, ScaleWords scale, const RemoteTarget& far, const Write& write) {
  if (far.by) return false;  // a batch has one origin
  if (far.named) item.detail |= protocol::named_item;
  Channel& channel = channels_.at(far.server);
  const std::size_t answer = protocol::answer_bytes(item);
  for (;;) {
    bool repeats = channel.batch != nullptr && repeats_last(*channel.batch, item, scale);
    std::size_t bytes = repeats ? protocol::repeated_bytes(item) : protocol::item_bytes(item);
    if (channel.batch == nullptr || !has_place(*channel.batch, bytes, answer, far.world)) {
      if (channel.batch != nullptr) close(channel);
      if (!open(channel, far)) return false;
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
    if (publish(batch, bytes, answer)) break;
    close(channel);
  }
  state_.writes.issue_at_once(channel);
  if (&far != &appended_to_ && !far.named) appended_to_ = far;
  return true;
}

bool Batches::append(const Operation& operation, const RemoteTarget& far, nb::Completion& completion) {
  if (operation.layout != protocol::Layout::contiguous || operation.combine != Combine::sum) return false;
  const std::uint64_t bytes = operation.patch.total_bytes();
  switch (operation.action) {
    case Action::put:
      return append_put(operation.near, operation.far, bytes, far, operation.called);
    case Action::get:
      return append_get(operation.near, operation.far, bytes, far, completion, operation.called);
    case Action::acc:
      return append_acc({operation.scalar, operation.scale.bytes}, operation.near, operation.far, bytes, far,
                        operation.called);
  }
  return false;
}

bool Batches::append_put(const void* near, const void* far_address, std::uint64_t bytes,
                         const RemoteTarget& far, protocol::Layout called) {
  if (!takes(bytes)) return false;
  const BatchItem item =
      item_of(Verb::put, protocol::detail_of(Scalar::none, called), bytes, far, far_address);
  return append_item(item, {}, far, [&](std::byte* to) { kernels::copy_bytes(to, near, bytes); });
}

bool Batches::append_acc(const Scaling& scaling, const void* near, const void* far_address,
                         std::uint64_t bytes, const RemoteTarget& far, protocol::Layout called) {
  if (!takes(bytes)) return false;
  const BatchItem item =
      item_of(Verb::acc, protocol::detail_of(scaling.scalar, called), bytes, far, far_address);
  return append_item(item, words_of(scaling), far,
                     [&](std::byte* to) { kernels::copy_bytes(to, near, bytes); });
}

// Is called before the first item with an answer is published in the open batch.
void Batches::expect_answer(Channel& channel, const RemoteTarget& far) {
  Batch& batch = *channel.batch;
  if (batch.transfer != nullptr) return;
  Request* const request = requests_.make<Awaited>(far, nullptr, Awaited{&batch});
  Header header;
  header.verb = Verb::batch;
  batch.transfer = transfers_.begin(*request, header);
  COMEX_BUG_IF(batch.transfer == nullptr);
  batch.buffer->slot = batch.transfer->slot;
}

// Registers the answer to the item that was appended last.
void Batches::await(Channel& channel, nb::Completion& completion, void* result, const BatchItem& item) {
  Batch& batch = *channel.batch;
  batch.answers.push_back({&completion, result, batch.word.items() - 1, item.bytes, false});
  completion.add();
  ++unanswered_;
}

bool Batches::append_get(void* near, const void* far_address, std::uint64_t bytes, const RemoteTarget& far,
                         nb::Completion& completion, protocol::Layout called) {
  // The answer needs a slot; one that a batch gives back meanwhile will do.
  if (!takes(bytes) || state_.slots.available() == 0) return false;
  const BatchItem item =
      item_of(Verb::get, protocol::detail_of(Scalar::none, called), bytes, far, far_address);
  Channel& channel = channels_.at(far.server);
  if (!append_item(item, {}, far, [&](std::byte*) { expect_answer(channel, far); })) return false;
  await(channel, completion, near, item);
  return true;
}

bool Batches::append_atomic(const AtomicOperation& operation, const RemoteTarget& far,
                            nb::Completion& completion) {
  if (!has_outbox() || state_.slots.available() == 0) return false;
  const BatchItem item = item_of(Verb::rmw, static_cast<std::uint8_t>(operation.atomic),
                                 scalar_bytes(operation.scalar), far, operation.far);
  Channel& channel = channels_.at(far.server);
  const auto write = [&](std::byte* to) {
    expect_answer(channel, far);
    std::memcpy(to, &operation.operand, sizeof operation.operand);
    if (operation.atomic == Atomic::compare_swap)
      std::memcpy(to + sizeof operation.operand, &operation.desired, sizeof operation.desired);
  };
  if (!append_item(item, {}, far, write)) return false;
  await(channel, completion, operation.near, item);
  return true;
}

void Batches::close(Channel& channel, bool has_next) {
  Batch& batch = *channel.batch;
  if (batch.buffer->replace(batch.word, batch.word.in(OutboxWord::State::free))) {
    // Only this worker opens its buffer again.
    transport::Transport& transport = state_.transport;
    transport.post(channel.rank, batch.buffer->copy_to(transport.stage(), batch.word), has_next);
  }
  let_go(channel, batch);
}

// The open batch has left, sent by this worker or by the pusher.
void Batches::let_go(Channel& channel, Batch& batch) {
  channel.batch = nullptr;
  std::erase(open_, &channel);
  holds_.store(!open_.empty(), std::memory_order_relaxed);
  const bool has_answer = !batch.answers.empty();
  Transfer* const transfer = batch.transfer;
  if (!has_answer) pool_.give_back(&batch);
  if (transfer == nullptr) return;
  transfer->request->sent = true;
  if (!has_answer) transfers_.end(transfer, false);  // the item with an answer came too late for this batch
}

void Batches::close_all() {
  while (!open_.empty()) close(*open_.back());
}

void Batches::on_answers(Channel& channel, const protocol::ReplyHeader& reply,
                         std::span<const std::byte> data) {
  Transfer* const transfer = transfers_.of(channel, reply);
  COMEX_BUG_IF(transfer == nullptr || transfer->verb != Verb::batch);
  Batch& batch = *std::get<Awaited>(transfer->request->what).batch;
  if (channel.batch == &batch) {  // the pusher has sent it
    COMEX_BUG_IF(!batch.is_taken());
    let_go(channel, batch);
  }
  COMEX_BUG_IF(data.size() != batch.size.answers);
  const std::byte* at = data.data();
  for (const Batch::Answer& answer : batch.answers) {
    if (answer.failed) {
      answer.completion->fail();
    } else if (answer.result != nullptr) {
      kernels::copy_bytes(static_cast<std::byte*>(answer.result), at, answer.bytes);
    }
    at += protocol::padded(answer.bytes);
    answer.completion->complete();
  }
  unanswered_ -= batch.answers.size();
  pool_.give_back(&batch);
  transfers_.end(transfer, false);
}

bool Batches::note_refused(const Channel& channel, const protocol::ReplyHeader& reply) {
  if (reply.refused_verb != Verb::get && reply.refused_verb != Verb::rmw) return false;
  const Transfer* const transfer = transfers_.of(channel, reply);
  if (transfer == nullptr || transfer->verb != Verb::batch) return false;
  Batch& batch = *std::get<Awaited>(transfer->request->what).batch;
  for (Batch::Answer& answer : batch.answers) {
    if (batch.number + answer.item == reply.value) answer.failed = true;
  }
  return true;
}

}  // namespace comex::op::remote
