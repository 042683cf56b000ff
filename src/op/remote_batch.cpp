// Batches: small operations written one behind the other into a buffer of the outbox. The message leaves
// when it is full, when anything else is started on its server, when the process waits, or when the pusher
// of the host finds that it has been lying there. It has its credit and its place in the order from the
// beginning, so each of these is free to send it at any time.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "kernels/copy.h"
#include "op/remote.h"

namespace comex::op {

using protocol::Atomic;
using protocol::BatchItem;
using protocol::Verb;
using remote::Kind;
using shm::OutboxWord;

// One more item of any kind finds a place, or need not wait for a credit.
bool Remote::may_append(const Link& link) const {
  constexpr std::size_t most = sizeof(BatchItem) + sizeof(Scale) + largest_item;
  if (has_credit(link)) return true;
  return link.batch != nullptr && link.batch->word.bytes() + most <= sizes_.message_bytes &&
         link.batch->buffer->look().bits() == link.batch->word.bits();  // else it is another's by now
}

bool Remote::open_batch(Link& link, const FarSide& far) {
  if (!link.queue.empty() || !has_credit(link)) return false;
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
  header.number = ledger_.issued(link.rank) + 1;
  header.sequence = ++link.sequence;
  ++link.sent;
  buffer->to = link.rank;
  std::memcpy(buffer->message, &header, sizeof header);
  Batch* batch = link.batch = batches_.take();
  batch->link = &link;
  batch->world = link.world = far.world;
  batch->buffer = buffer;
  batch->word = buffer->look().opened(sizeof header);
  batch->number = header.number;
  batch->words.clear();
  batch->transfer = nullptr;
  open_.push_back(&link);
  holds_.store(true, std::memory_order_relaxed);
  return true;
}

// An item of this size goes into the open batch. A batch that the pusher has taken has lost its buffer, which
// may be another link's by now: nothing may be written there. Taken after this look, it stays the pusher's or
// free, since only this worker opens buffers.
inline bool Remote::has_place(const Link& link, std::size_t bytes, WorldId world) const {
  const Batch* batch = link.batch;
  return batch != nullptr && batch->word.bytes() + bytes <= sizes_.message_bytes && batch->world == world &&
         !is_taken(*batch);
}

// False if no batch can take it.
bool Remote::make_place(Link& link, std::size_t bytes, const FarSide& far) {
  if (has_place(link, bytes, far.world)) return true;
  if (link.batch != nullptr && is_taken(*link.batch)) let_go(link);
  if (link.batch != nullptr) close(link);
  return open_batch(link, far);
}

// Into the place that there is; false: the pusher has taken the batch without it.
template <class Write>
inline bool Remote::put_item(Link& link, const BatchItem& item, Gpid target, const Write& write) {
  Batch& batch = *link.batch;
  std::byte* const to = batch.buffer->message + batch.word.bytes();
  ::new (static_cast<void*>(to)) BatchItem(item);
  write(to + sizeof item);
  const OutboxWord next = batch.word.with_item(protocol::item_bytes(item), item.verb == Verb::rmw);
  if (batch.word.items() == 0) {
    batch.buffer->word.store(next.bits(), std::memory_order_release);
    outbox_.announce();
  } else if (!batch.buffer->replace(batch.word, next)) {
    let_go(link);
    return false;
  }
  batch.word = next;
  ledger_.issue_at_once(link.rank, target);
  link.last_fence = nullptr;
  return true;
}

template <class Write>
bool Remote::append_item(const BatchItem& item, const FarSide& far, const Write& write) {
  if (far.by) return false;  // a batch has one origin
  Link& link = link_of(far.server);
  do {
    if (!make_place(link, protocol::item_bytes(item), far)) return false;
  } while (!put_item(link, item, far.gpid(), write));
  if (&far != &appended_to_) appended_to_ = far;
  return true;
}

bool Remote::append(const Operation& operation, const FarSide& far) {
  if (operation.action == Action::get || operation.layout != protocol::Layout::contiguous) return false;
  const std::uint64_t bytes = operation.patch.total_bytes();
  if (operation.action == Action::put)
    return append_put(operation.near, operation.far, bytes, far, operation.called);
  return append_acc(operation.scalar, operation.scale.bytes, operation.near, operation.far, bytes, far,
                    operation.called);
}

bool Remote::append_put(const void* near, const void* far_address, std::uint64_t bytes, const FarSide& far,
                        protocol::Layout called) {
  if (!takes(bytes)) return false;
  const BatchItem item{Verb::put, protocol::detail_of(Scalar::none, called),
                       static_cast<std::uint16_t>(bytes), far.target, far.offset_of(far_address)};
  return append_item(item, far, [&](std::byte* to) { kernels::copy_bytes(to, near, bytes); });
}

bool Remote::append_acc(Scalar scalar, const void* scale, const void* near, const void* far_address,
                        std::uint64_t bytes, const FarSide& far, protocol::Layout called) {
  if (!takes(bytes)) return false;
  const BatchItem item{Verb::acc, protocol::detail_of(scalar, called), static_cast<std::uint16_t>(bytes),
                       far.target, far.offset_of(far_address)};
  const std::size_t scale_bytes = scalar_bytes(scalar);
  return append_item(item, far, [&](std::byte* to) {
    kernels::copy_bytes(to, scale, scale_bytes);
    kernels::copy_bytes(to + protocol::padded(scale_bytes), near, bytes);
  });
}

// What awaits the answer to the batch that is open.
Remote::Transfer* Remote::answer_of(Link& link, const FarSide& far) {
  Batch& batch = *link.batch;
  if (batch.transfer == nullptr) {
    Request* request = new_request(Kind::batch, far, nullptr);
    request->batch = &batch;
    batch.transfer = new_transfer(link, *request, {});
    COMEX_BUG_IF(batch.transfer == nullptr);
    batch.transfer->verb = Verb::batch;
    batch.buffer->slot = batch.transfer->slot;
  }
  return batch.transfer;
}

bool Remote::append_atomic(const AtomicOperation& operation, const FarSide& far, nb::Completion& completion) {
  // A slot for it: one that a batch gives back on the way is as good.
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
  Link& link = link_of(far.server);
  const bool is_taken = append_item(item, far, [&](std::byte* to) {
    answer_of(link, far);
    std::memcpy(to, words, protocol::item_bytes(item) - sizeof item);
  });
  if (!is_taken) return false;
  link.batch->words.push_back(
      {&completion, operation.near, link.batch->word.items() - 1, static_cast<std::uint8_t>(bytes), false});
  completion.add();
  ++words_;
  return true;
}

// Sends the open batch; false: the pusher has, without the fence.
bool Remote::close(Link& link, bool with_fence) {
  Batch& batch = *link.batch;
  const bool is_mine = batch.buffer->replace(batch.word, batch.word.in(OutboxWord::State::free));
  if (is_mine) {  // nobody else opens it again
    const std::uint8_t flags = with_fence ? std::uint8_t{protocol::fence_rides} : std::uint8_t{0};
    transport_.post(link.rank, batch.buffer->copy_to(transport_.stage(), batch.word, flags));
  }
  let_go(link);
  return is_mine;
}

// The batch has left, whoever has sent it.
void Remote::let_go(Link& link) {
  Batch* batch = std::exchange(link.batch, nullptr);
  std::erase(open_, &link);
  holds_.store(!open_.empty(), std::memory_order_relaxed);
  const bool has_answer = !batch->words.empty();
  Transfer* transfer = batch->transfer;
  if (!has_answer) batches_.give_back(batch);
  if (transfer == nullptr) return;
  transfer->request->sent = true;
  if (!has_answer) end_transfer(transfer, false);  // its first rmw came too late
}

void Remote::send_batches() {
  while (!open_.empty()) close(*open_.back());
}

void Remote::on_data_batch(Link& link, const Reply& reply, std::span<const std::byte> data) {
  Transfer* transfer = transfer_of(link, reply);
  COMEX_BUG_IF(transfer == nullptr || transfer->verb != Verb::batch);
  Batch& batch = *transfer->request->batch;
  if (link.batch == &batch) let_go(link);  // the pusher was quick
  COMEX_BUG_IF(data.size() != batch.words.size() * sizeof(std::uint64_t));
  const std::byte* value = data.data();
  for (const Batch::Word& word : batch.words) {
    if (word.failed) {
      word.completion->fail();
    } else {
      std::memcpy(word.result, value, word.bytes);
    }
    value += sizeof(std::uint64_t);
    word.completion->complete();
  }
  words_ -= batch.words.size();
  batches_.give_back(&batch);
  end_transfer(transfer, false);
}

// True if it is about an rmw of a batch, whose values are still to come.
bool Remote::refuse_word(const Link& link, const Reply& reply) {
  if (reply.refused_verb != Verb::rmw) return false;
  const Transfer* transfer = transfer_of(link, reply);
  if (transfer == nullptr || transfer->verb != Verb::batch) return false;
  Batch& batch = *transfer->request->batch;
  for (Batch::Word& word : batch.words) {
    if (batch.number + word.item == reply.value) word.failed = true;
  }
  return true;
}

}  // namespace comex::op
