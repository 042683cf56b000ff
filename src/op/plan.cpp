#include "op/plan.h"

#include <algorithm>

#include "core/pieces.h"

namespace comex::op {
namespace {

using protocol::Layout;
using protocol::RequestHeader;
using protocol::Verb;

constexpr std::uint32_t offset_bytes = 8;
constexpr std::uint32_t small_segment_bytes = 128;   // larger segments do not travel inside the message
constexpr std::uint32_t large_segment_bytes = 2048;  // each larger segment is its own operation

Verb verb_of(Action action) {
  static_assert(static_cast<int>(Action::put) == static_cast<int>(Verb::put) &&
                static_cast<int>(Action::get) == static_cast<int>(Verb::get) &&
                static_cast<int>(Action::acc) == static_cast<int>(Verb::acc));
  return static_cast<Verb>(action);
}

// The chunk has at most `most` bytes. If `most` exceeds the eager limit by no more than the envelope of MPI,
// it becomes that limit. A body that fits into a few eager messages is cut into equal ones, all under way at
// once: each is shorter, and none waits for a handshake. A longer body goes in as few chunks as possible.
std::uint32_t chunk_of(std::uint64_t bytes, std::uint32_t most, const Sizes& sizes) {
  constexpr std::uint32_t envelope_bytes = 64;
  const std::uint64_t eager = sizes.eager_bytes;
  if (most > eager && most - eager <= envelope_bytes) return sizes.eager_bytes;
  if (bytes <= eager || eager >= most || bytes > eager * protocol::chunks_in_flight) return most;
  const std::uint64_t messages = (bytes + eager - 1) / eager;
  const std::uint64_t share = (bytes + messages - 1) / messages;
  return static_cast<std::uint32_t>((share + 15) / 16 * 16);
}

// `is_staged` means staged by the server, which receives larger chunks in place.
Plan begin(Action action, Layout layout, Scalar scalar, std::uint64_t bytes, bool is_staged,
           const Sizes& sizes) {
  Plan plan;
  plan.header.verb = verb_of(action);
  plan.header.layout = layout;
  plan.header.scalar = scalar;
  plan.header.bytes = bytes;
  const std::uint32_t most = is_staged ? std::min(sizes.piece_bytes, sizes.chunk_bytes) : sizes.chunk_bytes;
  plan.header.chunk_bytes = chunk_of(bytes, most, sizes);
  plan.rendezvous_chunk_bytes = most;
  plan.descriptor_bytes = action == Action::acc ? static_cast<std::uint32_t>(sizeof(Scale)) : 0;
  return plan;
}

// Returns the bytes of a message that remain behind header and descriptor.
std::uint64_t payload_space(const Plan& plan, const Sizes& sizes) {
  return sizes.message_bytes - sizeof(RequestHeader) - plan.descriptor_bytes;
}

// Puts the data of a put or an accumulate into the message if it fits. A reply has that of any get that fits.
void place_data(Plan& plan, const Sizes& sizes) {
  if (plan.header.verb != Verb::get && plan.header.bytes <= payload_space(plan, sizes))
    plan.header.flags |= protocol::body_inline;
}

Plan plan_strided(const Operation& operation, const Sizes& sizes) {
  const Patch& patch = operation.patch;
  const bool is_staged = operation.action == Action::acc || !is_packed(patch, Side::far);
  Plan plan =
      begin(operation.action, Layout::strided, operation.scalar, patch.total_bytes(), is_staged, sizes);
  const auto levels = static_cast<std::uint32_t>(patch.levels);
  plan.descriptor_bytes +=
      static_cast<std::uint32_t>(sizeof(protocol::StridedLayout)) + 8 * (levels + 1) + 8 * levels;
  place_data(plan, sizes);
  return plan;
}

Plan plan_vector(const Operation& operation, const Sizes& sizes) {
  const Scatter& scatter = operation.scatter;
  const bool is_get = operation.action == Action::get;
  Plan plan = begin(operation.action, Layout::vector, operation.scalar, scatter.total_bytes(), true, sizes);
  plan.descriptor_bytes += static_cast<std::uint32_t>(sizeof(protocol::ScatterLayout));
  const std::uint64_t space = payload_space(plan, sizes);
  const std::uint64_t described = space / offset_bytes;
  const std::uint64_t with_data = is_get ? std::min(described, protocol::reply_data_bytes / scatter.bytes)
                                         : space / (offset_bytes + scatter.bytes);

  std::uint64_t segments = with_data;
  if (scatter.count <= with_data || scatter.bytes <= small_segment_bytes) {
    if (!is_get) plan.header.flags |= protocol::body_inline;
  } else if (scatter.bytes > large_segment_bytes) {
    return plan_contiguous(operation.action, operation.scalar, scatter.bytes, sizes);
  } else {
    const bool shares_copy = fits_in_message_copy(sizes.piece_bytes);
    segments = shares_copy ? (space - sizes.piece_bytes) / offset_bytes : described;
  }
  plan.segments_per_message = static_cast<std::uint32_t>(std::min(segments, scatter.count));
  return plan;
}

}  // namespace

Sizes sizes_on_wire(std::uint32_t chunk_bytes, TransportRank origins, std::uint64_t staging_reserve) {
  Sizes sizes;
  sizes.chunk_bytes = chunk_bytes;
  sizes.piece_bytes = piece_bytes(sizes.chunk_bytes, static_cast<std::uint64_t>(origins), staging_reserve);
  sizes.message_bytes = message_limit(sizes.piece_bytes);
  return sizes;
}

Plan plan_contiguous(Action action, Scalar scalar, std::uint64_t bytes, const Sizes& sizes, bool has_signal) {
  Plan plan = begin(action, Layout::contiguous, scalar, bytes, action == Action::acc, sizes);
  if (has_signal) plan.descriptor_bytes += offset_bytes;
  place_data(plan, sizes);
  return plan;
}

Plan make_plan(const Operation& operation, const Sizes& sizes) {
  switch (operation.layout) {
    case Layout::contiguous:
      return plan_contiguous(operation.action, operation.scalar, operation.patch.total_bytes(), sizes,
                             operation.signal != nullptr);
    case Layout::strided:
      if (operation.patch.empty() || operation.patch.contiguous())
        return plan_contiguous(operation.action, operation.scalar, operation.patch.total_bytes(), sizes);
      return plan_strided(operation, sizes);
    case Layout::vector:
      if (operation.scatter.empty()) return Plan{};
      return plan_vector(operation, sizes);
  }
  return Plan{};
}

}  // namespace comex::op
