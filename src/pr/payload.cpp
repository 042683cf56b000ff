#include "pr/payload.h"

#include <algorithm>

#include "core/pieces.h"

namespace comex::pr {
namespace {

using protocol::Layout;
using protocol::Refusal;
using protocol::RequestHeader;
using protocol::Verb;

constexpr std::uint32_t chunk_unit = 16;  // no element is ever cut

// Takes parts off the front of a message.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> rest) : rest_(rest) {}

  const std::byte* take(std::uint64_t bytes) {
    if (bytes > rest_.size()) return nullptr;
    const std::byte* part = rest_.data();
    rest_ = rest_.subspan(bytes);
    return part;
  }
  template <class T>
  bool read(T& value) {
    const std::byte* part = take(sizeof value);
    if (part != nullptr) std::memcpy(&value, part, sizeof value);
    return part != nullptr;
  }
  std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
};

void set_range(Payload& payload, std::uint64_t offset, std::uint64_t extent) {
  payload.touches.low = offset;
  payload.touches.high = saturated_end(offset, extent);
  payload.touches.offset_bits = offset;
}

void read_contiguous(const RequestHeader& header, Payload& payload) {
  payload.patch = contiguous_patch(header.bytes);
  set_range(payload, header.offset, header.bytes);
}

// The near side is the packed body, so that levels merge exactly when the far side allows it.
bool set_packed_strides(Patch& raw) {
  std::uint64_t span = raw.counts[0];
  for (int level = 0; level < raw.levels; ++level) {
    if (span > INT64_MAX) return false;
    raw.near_strides[level] = static_cast<std::int64_t>(span);
    if (__builtin_mul_overflow(span, raw.counts[level + 1], &span)) return false;
  }
  return true;
}

bool read_strided(const RequestHeader& header, Reader& reader, Payload& payload) {
  protocol::StridedLayout layout;
  if (!reader.read(layout) || layout.levels > max_stride_levels) return false;
  Patch raw;
  raw.levels = static_cast<int>(layout.levels);
  for (int level = 0; level <= raw.levels; ++level)
    if (!reader.read(raw.counts[level])) return false;
  for (int level = 0; level < raw.levels; ++level)
    if (!reader.read(raw.far_strides[level])) return false;
  if (!set_packed_strides(raw)) return false;
  const Result<Patch> patch = normalised(raw);
  if (!patch || patch.value().total_bytes() != header.bytes) return false;
  if (header.verb == Verb::acc && patch.value().run_bytes() % scalar_bytes(header.scalar) != 0) return false;
  payload.patch = patch.value();
  set_range(payload, header.offset, payload.patch.far_extent_bytes());
  for (int level = 0; level < payload.patch.levels; ++level)
    payload.touches.offset_bits |= static_cast<std::uint64_t>(payload.patch.far_strides[level]);
  return true;
}

bool read_vector(const RequestHeader& header, Reader& reader, Payload& payload) {
  protocol::ScatterLayout layout;
  if (!reader.read(layout)) return false;
  const std::uint64_t count = layout.count;
  payload.offsets = reader.take(count * sizeof(std::uint64_t));
  if (payload.offsets == nullptr || count * layout.segment_bytes != header.bytes) return false;
  if (header.verb == Verb::acc && layout.segment_bytes % scalar_bytes(header.scalar) != 0) return false;
  payload.segments = layout.count;
  payload.segment_bytes = layout.segment_bytes;
  if (header.bytes == 0) return true;
  payload.touches.low = UINT64_MAX;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t offset = payload.offset_of_segment(i);
    payload.touches.low = std::min(payload.touches.low, offset);
    payload.touches.high = std::max(payload.touches.high, saturated_end(offset, layout.segment_bytes));
    payload.touches.offset_bits |= offset;
  }
  return true;
}

bool read_layout(const RequestHeader& header, Reader& reader, Payload& payload) {
  switch (header.layout) {
    case Layout::contiguous:
      read_contiguous(header, payload);
      return true;
    case Layout::strided:
      return read_strided(header, reader, payload);
    case Layout::vector:
      return read_vector(header, reader, payload);
  }
  return false;
}

// A staged piece must fit the staging buffer of its origin or the space before its message copy.
bool is_sound_body(const RequestHeader& header, std::size_t message_bytes, const WireLimits& limits,
                   const Payload& payload) {
  if (!has_chunk_size(header, limits) || header.chunk_bytes % chunk_unit != 0) return false;
  if (!needs_staging(header, payload)) return true;
  const bool has_capacity = !fits_in_message_copy(limits.piece_bytes) ||
                            message_bytes + limits.piece_bytes <= message_limit(limits.piece_bytes);
  return header.chunk_bytes <= limits.piece_bytes && has_capacity;
}

bool read_bulk(const RequestHeader& header, std::size_t message_bytes, const WireLimits& limits,
               Reader& reader, Payload& payload) {
  if (header.verb == Verb::acc) {
    if (header.scalar == Scalar::none || static_cast<unsigned>(header.scalar) >= scalar_kinds) return false;
    if (header.operand >= combine_kinds || !can_combine(header.combine(), header.scalar)) return false;
    if (header.bytes % scalar_bytes(header.scalar) != 0 || !reader.read(payload.scale)) return false;
  }
  if (header.verb == Verb::put && (header.flags & protocol::with_signal) != 0) {
    std::uint64_t word = 0;
    if (!reader.read(word)) return false;
    payload.signal = word;
  }
  if (!read_layout(header, reader, payload)) return false;
  const bool is_inline = header.verb != Verb::get && (header.flags & protocol::body_inline) != 0;
  if (is_inline) payload.body = reader.take(header.bytes);
  if (is_inline && payload.body == nullptr) return false;
  if (has_chunks(header) && !is_sound_body(header, message_bytes, limits, payload)) return false;
  return reader.left() == 0;
}

// rmw: one aligned word; store: one of 8 bytes.
Refusal read_word(const RequestHeader& header, Reader& reader, Payload& payload) {
  const bool is_half = header.bytes == 4 && header.verb == Verb::rmw;
  if (!is_half && header.bytes != 8) return Refusal::malformed;
  if (header.verb == Verb::rmw) {
    const Scalar scalar = header.bytes == 4 ? Scalar::int32 : Scalar::int64;
    if (header.scalar != scalar || header.atomic > protocol::last_atomic) return Refusal::malformed;
    const bool needs_desired = header.atomic == protocol::Atomic::compare_swap;
    if (needs_desired && !reader.read(payload.desired)) return Refusal::malformed;
  }
  if (reader.left() != 0) return Refusal::malformed;
  set_range(payload, header.offset, header.bytes);
  return header.offset % header.bytes == 0 ? Refusal::none : Refusal::misaligned;
}

}  // namespace

Payload read_payload(const RequestHeader& header, std::span<const std::byte> message,
                     const WireLimits& limits) {
  Payload payload;
  payload.touches = {.verb = header.verb,
                     .is_inline = header.verb == Verb::put && !has_chunks(header),
                     .scalar = header.scalar,
                     .target = header.target,
                     .combine = header.verb == Verb::acc ? header.combine() : Combine::sum};
  Reader reader(message.subspan(sizeof header));
  switch (header.verb) {
    case Verb::put:
    case Verb::get:
    case Verb::acc:
      if (!read_bulk(header, message.size(), limits, reader, payload)) payload.refusal = Refusal::malformed;
      break;
    case Verb::rmw:
    case Verb::store:
      payload.refusal = read_word(header, reader, payload);
      break;
    case Verb::lock:
    case Verb::try_lock:
    case Verb::release:
    case Verb::fence:
      if (reader.left() != 0) payload.refusal = Refusal::malformed;
      break;
    default:
      payload.refusal = Refusal::malformed;
      break;
  }
  return payload;
}

}  // namespace comex::pr
