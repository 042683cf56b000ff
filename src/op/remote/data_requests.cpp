// Sends puts, gets and accumulates that are in no batch, message by message.
#include <cstring>
#include <utility>

#include "core/pieces.h"
#include "op/remote/remote.h"
#include "transport/bundle.h"

namespace comex::op {

using protocol::Verb;
using remote::Data;

namespace {

constexpr unsigned max_copied_per_channel = 16;
constexpr unsigned max_bodies_per_channel = 16;

bool is_small_write(const Data& data) {
  return (data.plan.header.flags & protocol::body_inline) != 0 &&
         data.plan.segments_per_message == data.segments();
}

// Eager bodies can be unexpected messages at the server until they are applied. Beyond this bound a body is
// cut into chunks that MPI sends by rendezvous.
bool is_eager_budget_used(const remote::Channel& channel) {
  return channel.bodies + channel.slots_until_applied.size() >= max_bodies_per_channel;
}

}  // namespace

bool Remote::send(Channel& channel, Request& request, Data& data) {
  const std::uint64_t segments = data.segments();
  while (data.next_segment < segments) {
    if (!send_message(channel, request, data)) return false;
  }
  end_sent(channel, request, data.operation.action != Action::get);
  return true;
}

// Whether another message of the request can follow the one that is about to be sent.
bool Remote::may_send_next(const Channel& channel, const Data& data) const {
  if (!data.is_vector() || data.next_segment >= data.operation.scatter.count) return false;
  const bool needs_slot = data.plan.header.verb == Verb::get;
  return channel.sent + 1 < channel.limit && (!needs_slot || state_.slots.available() != 0);
}

// Begins the transfer, whose slot and chunks the header gets. Returns null if it cannot be sent yet.
remote::Transfer* Remote::begin_transfer(Channel& channel, Request& request, const Data& data,
                                         Header& header) {
  const bool with_body = has_chunks(header);
  kernels::PackedSide near = near_of(data);
  if (with_body) {
    if (channel.bodies >= max_bodies_per_channel) return nullptr;
    if (header.verb != Verb::get && is_eager_budget_used(channel))
      header.chunk_bytes = data.plan.rendezvous_chunk_bytes;
    if (!transfers_.may_begin_body(channel, header, near)) return nullptr;
  }
  Transfer* const transfer = transfers_.begin(request, header);
  if (transfer == nullptr) return nullptr;
  transfer->near = std::move(near);
  header.slot = transfer->slot;
  return transfer;
}

// Sends one message of an operation; returns false if it cannot be sent yet.
bool Remote::send_message(Channel& channel, Request& request, Data& data) {
  if (!channel.has_credit()) return false;
  Header header = header_of(data, request.far, state_.sender(request.errors_return));
  const bool is_write = header.verb != Verb::get;
  const bool with_body = has_chunks(header);
  Transfer* transfer = nullptr;
  if (with_body || !is_write) {
    transfer = begin_transfer(channel, request, data, header);
    if (transfer == nullptr) return false;
  }
  if (is_write) header.number = ++channel.issued;
  const std::size_t bytes = write_data(data, request.far, header, state_.transport.stage());
  data.next_segment += data.next_count();
  if (!with_body) {
    state_.post(channel, bytes, may_send_next(channel, data));
    return true;
  }
  const bool has_one_chunk =
      header.bytes <= transport::short_body_bytes && header.bytes <= header.chunk_bytes;
  const bool leaves_at_once = is_write && !is_eager_budget_used(channel) && has_one_chunk;
  state_.post(channel, bytes, leaves_at_once);
  transfer->number = header.number;
  transfers_.begin_body(*transfer);
  return true;
}

void Remote::end_sent(Channel& channel, Request& request, bool is_write) {
  if (is_write) remote::Writes::unqueue(channel);
  request.sent = true;
  requests_.part_done(&request, false);
}

void Remote::copy(Channel& channel, Request& request) {
  Data* const data = std::get_if<Data>(&request.what);
  // A progress rank is certain to give credits, so the caller waits for one.
  if (data == nullptr || request.far.has_progress_rank) return;
  if (!is_small_write(*data) || channel.copied >= max_copied_per_channel) return;
  const Header header = header_of(*data, request.far, state_.sender(request.errors_return));
  request.message.resize(state_.sizes.message_bytes);
  request.message.resize(write_data(*data, request.far, header, request.message.data()));
  request.what.emplace<remote::Copied>(remote::Copied{header});
  ++channel.copied;
  std::exchange(request.completion, nullptr)->complete();
}

bool Remote::send(Channel& channel, Request& request, remote::Copied& copied) {
  if (!channel.has_credit()) return false;
  copied.header.number = ++channel.issued;
  std::byte* const to = state_.transport.stage();
  std::memcpy(to, request.message.data(), request.message.size());
  std::memcpy(to, &copied.header, sizeof copied.header);
  state_.post(channel, request.message.size());
  end_sent(channel, request, true);
  return true;
}

}  // namespace comex::op
