#include "pr/batch.h"

#include <algorithm>
#include <cstring>

#include "core/batch_size.h"

namespace comex::pr {
namespace {

using protocol::BatchItem;
using protocol::RepeatedItem;
using protocol::Verb;

bool repeats(std::span<const std::byte> message, std::size_t at) {
  return static_cast<std::uint8_t>(message[at]) == protocol::item_repeats;
}

// Addition wraps, as it did at the origin: the address that the program gave may be wild.
std::uint64_t step_of(std::span<const std::byte> message, std::size_t at) {
  RepeatedItem item;
  std::memcpy(&item, message.data() + at, sizeof item);
  return static_cast<std::uint64_t>(std::int64_t{item.step});
}

bool is_sound(const BatchItem& head) {
  switch (head.verb) {
    case Verb::put:
    case Verb::get:
      return true;
    case Verb::acc:
      return kind_of(head) != 0 && kind_of(head) < scalar_kinds &&
             head.bytes % scalar_bytes(static_cast<Scalar>(kind_of(head))) == 0;
    case Verb::rmw:
      return kind_of(head) <= static_cast<std::uint8_t>(protocol::last_atomic) &&
             (head.bytes == 4 || head.bytes == 8);
    default:
      return false;
  }
}

// If the program gave a wild address, the end may lie beyond all addresses: only this item is refused then.
void widen(Footprint& all, const BatchItem& head, bool is_first) {
  const std::uint64_t end = saturated_end(head.offset, head.bytes);
  const Scalar scalar = head.verb == Verb::acc ? static_cast<Scalar>(kind_of(head)) : Scalar::none;
  if (is_first) {
    all = {head.verb, head.verb == Verb::put, scalar,     false, head.target, head.offset,
           end,       Combine::sum,           head.offset};
    return;
  }
  if (all.verb != head.verb || all.scalar != scalar) {
    all.verb = Verb::rmw;
    all.scalar = Scalar::none;
    all.is_inline = false;
  }
  all.offset_bits |= head.offset;
  all.many_targets = all.many_targets || all.target != head.target;
  all.low = std::min(all.low, head.offset);
  all.high = std::max(all.high, end);
}

}  // namespace

BatchShape read_batch(const protocol::RequestHeader& header, std::span<const std::byte> message,
                      std::size_t limit) {
  BatchShape shape;
  std::uint64_t items = 0;
  BatchSize size;
  BatchItem head;
  for (std::size_t at = sizeof header; at != message.size(); ++items) {
    const std::size_t left = message.size() - at;
    std::size_t bytes = 0;
    if (repeats(message, at)) {
      if (items == 0 || is_named(head) || left < sizeof(RepeatedItem)) return shape;
      head.offset += step_of(message, at);
      bytes = protocol::repeated_bytes(head);
    } else {
      if (left < sizeof head) return shape;
      std::memcpy(&head, message.data() + at, sizeof head);
      if (!is_sound(head)) return shape;
      bytes = protocol::item_bytes(head);
    }
    if (left < bytes) return shape;
    widen(shape.footprint, head, items == 0);
    size = size.with(bytes, protocol::answer_bytes(head));
    at += bytes;
  }
  shape.is_sound =
      items != 0 && items == header.items() && size.fits(limit) && (size.answers != 0) == (header.slot != 0);
  return shape;
}

// The item is changed field by field: a copy of all of it would be read before its parts are written.
void go_to_next(Item& item, std::span<const std::byte> message) {
  const std::uint32_t at = item.end;
  if (repeats(message, at)) {
    item.head.offset += step_of(message, at);
    item.load = at + static_cast<std::uint32_t>(sizeof(RepeatedItem));
  } else {
    std::memcpy(&item.head, message.data() + at, sizeof item.head);
    item.named = {};
    if (is_named(item.head))
      std::memcpy(&item.named, message.data() + at + sizeof item.head, sizeof item.named);
    item.load = at + static_cast<std::uint32_t>(protocol::head_bytes(item.head));
    if (const std::size_t scale_bytes = protocol::scale_bytes(item.head); scale_bytes != 0) {
      std::memcpy(item.scale.bytes, message.data() + item.load, scale_bytes);
      item.load += static_cast<std::uint32_t>(scale_bytes);
    }
  }
  item.end = item.load + static_cast<std::uint32_t>(protocol::load_bytes(item.head));
}

kernels::WordChange word_of(const Item& item, std::span<const std::byte> message) {
  kernels::WordChange change{static_cast<protocol::Atomic>(protocol::kind_of(item.head)), item.head.bytes, 0,
                             0};
  const std::byte* const operands = message.data() + item.load;
  std::memcpy(&change.operand, operands, sizeof change.operand);
  if (change.atomic == protocol::Atomic::compare_swap) {
    std::memcpy(&change.desired, operands + sizeof change.operand, sizeof change.desired);
  }
  return change;
}

protocol::RequestHeader header_of(const protocol::RequestHeader& batch, const Item& item,
                                  std::span<const std::byte> message, std::uint64_t number) {
  protocol::RequestHeader header;
  header.verb = item.head.verb;
  header.flags = batch.flags;
  header.called = called_of(item.head);
  header.world = batch.world;
  header.target = item.head.target;
  header.named = item.named;
  header.origin = batch.origin;
  header.number = number;
  header.offset = item.head.offset;
  header.bytes = item.head.bytes;
  if (item.head.verb == Verb::acc) header.scalar = item.scalar();
  if (protocol::answer_bytes(item.head) != 0) header.slot = batch.slot;
  if (item.head.verb == Verb::rmw) {
    const kernels::WordChange word = word_of(item, message);
    header.scalar = word.bytes == 8 ? Scalar::int64 : Scalar::int32;
    header.atomic = word.atomic;
    header.set_argument(word.operand);
  }
  return header;
}

}  // namespace comex::pr
