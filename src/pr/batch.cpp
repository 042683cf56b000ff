#include "pr/batch.h"

#include <algorithm>
#include <cstring>

#include "core/batch_room.h"

namespace comex::pr {
namespace {

using protocol::BatchItem;
using protocol::Verb;

bool is_sound(const BatchItem& head) {
  switch (head.verb) {
    case Verb::put:
    case Verb::get:
      return true;
    case Verb::acc:
      return kind_of(head) != 0 && kind_of(head) < scalar_kinds &&
             head.bytes % scalar_bytes(static_cast<Scalar>(kind_of(head))) == 0;
    case Verb::rmw:
      return kind_of(head) <= static_cast<std::uint8_t>(protocol::Atomic::fetch_xor) &&
             (head.bytes == 4 || head.bytes == 8);
    default:
      return false;
  }
}

// Where the program's address was wild, the end may be beyond all addresses: the item is refused, no more.
void widen(Footprint& all, const BatchItem& head, bool is_first) {
  const std::uint64_t end = saturated_end(head.offset, head.bytes);
  const Scalar scalar = head.verb == Verb::acc ? static_cast<Scalar>(kind_of(head)) : Scalar::none;
  if (is_first) {
    all = {head.verb, head.verb == Verb::put, scalar, false, head.target, head.offset, end};
    return;
  }
  if (all.verb != head.verb || all.scalar != scalar) {
    all.verb = Verb::rmw;
    all.scalar = Scalar::none;
    all.is_inline = false;
  }
  all.many_targets = all.many_targets || all.target != head.target;
  all.low = std::min(all.low, head.offset);
  all.high = std::max(all.high, end);
}

}  // namespace

BatchShape read_batch(const protocol::RequestHeader& header, std::span<const std::byte> message) {
  BatchShape shape;
  std::uint64_t items = 0;
  BatchRoom room;
  for (std::size_t at = sizeof header; at != message.size(); ++items) {
    BatchItem head;
    if (message.size() - at < sizeof head) return shape;
    std::memcpy(&head, message.data() + at, sizeof head);
    if (!is_sound(head)) return shape;
    if (message.size() - at < protocol::item_bytes(head)) return shape;
    widen(shape.footprint, head, items == 0);
    room = room.with(protocol::item_bytes(head), protocol::answer_bytes(head));
    at += protocol::item_bytes(head);
  }
  shape.is_sound =
      items != 0 && items == header.operand && room.is_kept() && (room.answers != 0) == (header.slot != 0);
  return shape;
}

Item next_item(std::span<const std::byte> message, std::size_t at) {
  Item item;
  std::memcpy(&item.head, message.data() + at, sizeof item.head);
  if (is_named(item.head))
    std::memcpy(&item.named, message.data() + at + sizeof item.head, sizeof item.named);
  item.rest = message.data() + at + protocol::head_bytes(item.head);
  item.end = at + protocol::item_bytes(item.head);
  return item;
}

protocol::RequestHeader header_of(const protocol::RequestHeader& batch, const Item& item,
                                  std::uint64_t number) {
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
    const WordChange word = item.word();
    header.scalar = word.bytes == 8 ? Scalar::int64 : Scalar::int32;
    header.atomic = word.atomic;
    header.operand = word.operand;
  }
  return header;
}

}  // namespace comex::pr
