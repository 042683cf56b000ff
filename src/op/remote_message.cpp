// The bytes of puts, gets and accumulates: header, scale, layout and small data.
#include <algorithm>
#include <cstring>
#include <utility>

#include "op/remote.h"
#include "transport/bundle.h"

namespace comex::op {

using protocol::Layout;
using protocol::Verb;
using remote::Kind;

namespace {

constexpr unsigned max_copied_per_link = 16;
constexpr unsigned max_bodies_per_link = 16;

class Writer {
 public:
  explicit Writer(std::byte* to) : begin_(to), at_(to) {}

  template <class T>
  void write(const T& value) {
    write_bytes(&value, sizeof value);
  }
  void write_bytes(const void* from, std::size_t bytes) {
    std::memcpy(at_, from, bytes);
    at_ += bytes;
  }
  std::byte* take(std::size_t bytes) { return std::exchange(at_, at_ + bytes); }
  std::size_t written() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* at_;
};

void write_strided(Writer& writer, const Patch& patch) {
  writer.write(protocol::StridedLayout{static_cast<std::uint32_t>(patch.levels), 0});
  for (int level = 0; level <= patch.levels; ++level) writer.write(patch.counts[level]);
  for (int level = 0; level < patch.levels; ++level) writer.write(patch.far_strides[level]);
}

// The segments that the next message of a vector operation covers.
Scatter next_part(const remote::Request& request) {
  const Scatter& all = request.operation.scatter;
  const std::uint64_t most =
      request.plan.method == PlanMethod::each_segment ? 1 : request.plan.segments_per_message;
  return all.part(request.next_segment, std::min(most, all.count - request.next_segment));
}

bool is_vector(const remote::Request& request) {
  return request.operation.layout == Layout::vector;
}

// The origin's memory of the next message.
NearSide near_of(const remote::Request& request) {
  const Operation& operation = request.operation;
  if (is_vector(request)) {
    const Scatter part = next_part(request);
    if (part.count == 1) return NearSide::of_bytes(static_cast<std::byte*>(part.near[0]));
    return NearSide::of_scatter(part);
  }
  if (is_packed(operation.patch, Side::near)) return NearSide::of_bytes(operation.near);
  return NearSide::of_patch(operation.near, operation.patch);
}

}  // namespace

// The header of the next message, but for slot and number.
Remote::Header Remote::header_for(const Request& request) const {
  Header header = request.plan.header;
  header.flags |= mode_flags();
  header.world = request.far.world;
  header.target = request.far.target;
  header.origin = self_;
  header.by = request.far.by;
  header.named = request.far.named;
  header.call = request.operation.call;
  header.called = request.operation.called;
  if (!request.operation.is_blocking) header.flags |= protocol::non_blocking;
  if (request.operation.signal != nullptr) header.flags |= protocol::with_signal;
  if (!is_vector(request)) {
    header.offset = request.far.offset_of(request.operation.far);
  } else if (request.plan.method == PlanMethod::each_segment) {
    header.offset = request.far.offset_of(request.operation.scatter.far[request.next_segment]);
  } else {
    header.bytes = next_part(request).total_bytes();
  }
  return header;
}

std::size_t Remote::write_message(const Request& request, const Header& header, std::byte* to) {
  Writer writer(to);
  writer.write(header);
  if (request.operation.signal != nullptr) writer.write(request.far.offset_of(request.operation.signal));
  if (header.verb == Verb::acc) writer.write(request.operation.scale);
  if (header.layout == Layout::strided) write_strided(writer, request.operation.patch);
  if (header.layout == Layout::vector) {
    const Scatter part = next_part(request);
    writer.write(protocol::ScatterLayout{static_cast<std::uint32_t>(part.count),
                                         static_cast<std::uint32_t>(part.bytes)});
    for (std::uint64_t i = 0; i < part.count; ++i) writer.write(request.far.offset_of(part.far[i]));
  }
  if ((header.flags & protocol::body_inline) != 0) {
    near_of(request).gather(writer.take(header.bytes), header.bytes);
  }
  return writer.written();
}

bool Remote::send_data(Channel& channel, Request& request) {
  const std::uint64_t segments = is_vector(request) ? request.operation.scatter.count : 1;
  while (request.next_segment < segments) {
    if (!send_data_message(channel, request)) return false;
  }
  request.sent = true;
  if (request.operation.action != Action::get) ledger_.unqueue(channel.rank, request.far.gpid());
  part_done(&request, false);
  return true;
}

// Whether another message of it can go behind the one that is about to.
bool Remote::may_send_next(const Channel& channel, const Request& request) const {
  if (!is_vector(request) || request.next_segment >= request.operation.scatter.count) return false;
  const bool needs_slot = request.plan.header.verb == Verb::get;
  return channel.sent + 1 < channel.limit && (!needs_slot || slots_.available() != 0);
}

// One message of an operation; false when it cannot go yet.
bool Remote::send_data_message(Channel& channel, Request& request) {
  if (!has_credit(channel)) return false;
  Header header = header_for(request);
  const bool is_write = header.verb != Verb::get;
  const bool with_body = has_body(header, sizes_);
  Transfer* transfer = nullptr;
  bool has_short_body = false;  // which leaves at once
  if (with_body || !is_write) {
    if (with_body && channel.bodies >= max_bodies_per_link) return false;
    // What leaves unasked may stand in the server's MPI until it is applied: no more of it than of bodies
    // under way.
    const bool is_asked = is_write && channel.bodies + channel.held.size() >= max_bodies_per_link;
    if (with_body && is_asked) header.chunk_bytes = request.plan.asked_chunk_bytes;
    has_short_body = is_write && !is_asked && header.bytes <= transport::short_body_bytes;
    NearSide near = near_of(request);
    // What is sent must be able to finish by itself, so it has its staging before it goes.
    if (with_body && near.contiguous() == nullptr && !may_stage(channel, buffers_wanted(header)))
      return false;
    transfer = new_transfer(channel, request, header);
    if (transfer == nullptr) return false;
    transfer->near = std::move(near);
    header.slot = transfer->slot;
  }
  if (is_write) header.number = ledger_.issue(channel.rank, request.far.gpid());
  const std::size_t bytes = write_message(request, header, transport_.stage());
  request.next_segment += is_vector(request) ? next_part(request).count : 1;
  const bool has_one_chunk = has_short_body && header.bytes <= header.chunk_bytes;
  post(channel, bytes, with_body ? has_one_chunk : may_send_next(channel, request));
  if (with_body) {
    transfer->number = header.number;
    begin_body(channel, *transfer);
  }
  return true;
}

// Lets the caller of a small write go on although the write has to wait for a credit.
bool Remote::copy_message(Channel& channel, Request& request) {
  const bool fits = request.plan.method == PlanMethod::inline_message ||
                    (request.plan.method == PlanMethod::inline_scatter &&
                     request.plan.segments_per_message == request.operation.scatter.count);
  // Where a credit comes for certain its caller waits for it, and so has left nothing here.
  if (request.far.is_attentive) return false;
  if (!fits || request.operation.action == Action::get || channel.copied >= max_copied_per_link) return false;
  request.header = header_for(request);
  request.message.resize(sizes_.message_bytes);
  request.message.resize(write_message(request, request.header, request.message.data()));
  request.kind = Kind::copied;
  ++channel.copied;
  std::exchange(request.completion, nullptr)->complete();
  return true;
}

bool Remote::send_copied(Channel& channel, Request& request) {
  if (!has_credit(channel)) return false;
  request.header.number = ledger_.issue(channel.rank, request.far.gpid());
  std::byte* const to = transport_.stage();
  std::memcpy(to, request.message.data(), request.message.size());
  std::memcpy(to, &request.header, sizeof request.header);
  post(channel, request.message.size());
  ledger_.unqueue(channel.rank, request.far.gpid());
  request.sent = true;
  part_done(&request, false);
  return true;
}

}  // namespace comex::op
