// Batches: small operations written one behind the other into a message that leaves when it is full,
// when anything else is started on its server, or when the process makes progress.
#include <cstring>
#include <utility>

#include "op/remote.h"

namespace comex::op {

using protocol::Atomic;
using protocol::BatchItem;
using protocol::Verb;
using remote::Kind;

// Where what follows the item goes; there is room for all of it.
std::byte* Remote::append_item(Link& link, const BatchItem& item, const FarSide& far) {
  const std::size_t bytes = protocol::item_bytes(item);
  if (link.batch != nullptr &&
      (link.batch->used + bytes > sizes_.message_bytes || link.batch->world != far.world)) {
    flush(link);
  }
  if (link.batch == nullptr) {
    link.batch = batches_.take();
    link.batch->world = link.world = far.world;
    link.batch->used = sizeof(Header);
    link.batch->items = 0;
    link.batch->words.clear();
    link.batch->stretches.clear();
    open_.push_back(&link);
    note_holding();
  }
  Batch& batch = *link.batch;
  const Gpid target = far.gpid();
  if (batch.stretches.empty() || batch.stretches.back().target != target)
    batch.stretches.push_back({target, 0});
  ++batch.stretches.back().items;
  ++batch.items;
  ledger_.queue(far.server, target);
  link.last_fence = nullptr;
  std::byte* const to = batch.message + batch.used;
  std::memcpy(to, &item, sizeof item);
  batch.used += bytes;
  return to + sizeof item;
}

bool Remote::append(const Operation& operation, const FarSide& far) {
  if (operation.action == Action::get || operation.layout != protocol::Layout::contiguous) return false;
  const std::uint64_t bytes = operation.patch.total_bytes();
  if (operation.action == Action::put) return append_put(operation.near, operation.far, bytes, far);
  return append_acc(operation.scalar, operation.scale.bytes, operation.near, operation.far, bytes, far);
}

bool Remote::append_put(const void* near, const void* far_address, std::uint64_t bytes, const FarSide& far) {
  if (!takes(bytes)) return false;
  const BatchItem item{Verb::put, 0, static_cast<std::uint16_t>(bytes), far.target,
                       far.offset_of(far_address)};
  std::memcpy(append_item(link_of(far.server), item, far), near, bytes);
  return true;
}

bool Remote::append_acc(Scalar scalar, const void* scale, const void* near, const void* far_address,
                        std::uint64_t bytes, const FarSide& far) {
  if (!takes(bytes)) return false;
  const BatchItem item{Verb::acc, static_cast<std::uint8_t>(scalar), static_cast<std::uint16_t>(bytes),
                       far.target, far.offset_of(far_address)};
  std::byte* const to = append_item(link_of(far.server), item, far);
  const std::size_t scale_bytes = scalar_bytes(scalar);
  std::memcpy(to, scale, scale_bytes);
  std::memcpy(to + protocol::padded(scale_bytes), near, bytes);
  return true;
}

bool Remote::append_atomic(const AtomicOperation& operation, const FarSide& far, nb::Completion& completion) {
  if (!coalesces_) return false;
  const unsigned bytes = scalar_bytes(operation.scalar);
  BatchItem item;
  item.verb = Verb::rmw;
  item.detail = static_cast<std::uint8_t>(operation.atomic);
  item.bytes = static_cast<std::uint16_t>(bytes);
  item.target = far.target;
  item.offset = far.offset_of(operation.far);
  Link& link = link_of(far.server);
  std::byte* const to = append_item(link, item, far);
  std::uint64_t words[2] = {static_cast<std::uint64_t>(operation.operand), 0};
  if (operation.atomic == Atomic::swap || operation.atomic == Atomic::compare_swap) {
    words[0] = 0;
    std::memcpy(&words[0], operation.near, bytes);
  }
  if (operation.atomic == Atomic::compare_swap) std::memcpy(&words[1], operation.near + bytes, bytes);
  std::memcpy(to, words, protocol::item_bytes(item) - sizeof item);
  link.batch->words.push_back(
      {&completion, operation.near, link.batch->items - 1, static_cast<std::uint8_t>(bytes), false});
  completion.add();
  ++words_;
  return true;
}

void Remote::flush(Link& link) {
  FarSide far;
  far.server = link.rank;
  far.world = link.batch->world;
  Request* request = new_request(Kind::batch, far, nullptr);
  request->batch = std::exchange(link.batch, nullptr);
  std::erase(open_, &link);
  push(request);
  note_holding();
}

unsigned Remote::flush_all() {
  unsigned moved = 0;
  for (; !open_.empty(); ++moved) flush(*open_.back());
  return moved;
}

bool Remote::send_batch(Link& link, Request& request) {
  if (!has_credit(link)) return false;
  Batch& batch = *request.batch;
  Header header;
  header.verb = Verb::batch;
  header.flags = mode_flags();
  header.world = batch.world;
  header.origin = self_;
  header.bytes = batch.used - sizeof header;
  header.operand = batch.items;
  if (!batch.words.empty()) {
    const Transfer* transfer = new_transfer(link, request, header);
    if (transfer == nullptr) return false;
    header.slot = transfer->slot;
  }
  batch.number = header.number = ledger_.issued(link.rank) + 1;
  for (const Batch::Stretch& stretch : batch.stretches) {
    ledger_.issue(link.rank, stretch.target, stretch.items);
    ledger_.unqueue(link.rank, stretch.target, stretch.items);
  }
  std::memcpy(batch.message, &header, sizeof header);
  std::memcpy(transport_.stage(), batch.message, batch.used);
  post(link, batch.used);
  request.sent = true;
  if (batch.words.empty()) {
    batches_.give_back(&batch);
    part_done(&request, false);
  }
  return true;
}

void Remote::on_data_batch(Link& link, const Reply& reply, std::span<const std::byte> data) {
  Transfer* transfer = transfer_of(link, reply);
  COMEX_BUG_IF(transfer == nullptr || transfer->verb != Verb::batch);
  Batch& batch = *transfer->request->batch;
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
