// Handles replies: data, done and refused, and the flow control that every reply carries.
#include <cstring>

#include "op/remote/remote.h"

namespace comex::op {

using protocol::Verb;

void Remote::on_message(const transport::Message& message) {
  if (abandoned_ || is_lost(message.from)) return;
  Reply reply;
  COMEX_BUG_IF(message.data.size() < sizeof reply);
  std::memcpy(&reply, message.data.data(), sizeof reply);
  Channel& channel = channels_.at(message.from);
  state_.writes.note_reply(channel, reply);
  channel.note_limit(reply);
  transfers_.release_applied(channel);
  const std::span<const std::byte> data = message.data.subspan(sizeof reply);
  switch (reply.verb) {
    case Verb::data:
      on_data(channel, reply, data);
      break;
    case Verb::data_batch:
      batches_.on_answers(channel, reply, data);
      break;
    case Verb::done:
      if (reply.slot == protocol::no_slot) {
        on_fence_answered(channel, false);
      } else {
        on_data(channel, reply, data);
      }
      break;
    case Verb::refused:
      on_refused(channel, reply);
      break;
    case Verb::recall_credits:
      on_recall(channel);
      break;
    default:
      COMEX_BUG_IF(reply.verb != Verb::credit);
      break;
  }
  pump(channel);
}

// Handles the answer of an rmw, a lock, a release, or a get small enough for one message.
void Remote::on_data(const Channel& channel, const Reply& reply, std::span<const std::byte> data) {
  Transfer* const transfer = transfers_.of(channel, reply);
  COMEX_BUG_IF(transfer == nullptr);
  if (transfer->verb == Verb::get) {
    COMEX_BUG_IF(data.size() != transfer->bytes);
    transfer->near.scatter(data.data(), data.size());
  } else {
    const auto* const word = std::get_if<remote::WordRequest>(&transfer->request->what);
    COMEX_BUG_IF(word == nullptr);
    if (word->result != nullptr) std::memcpy(word->result, &reply.value, word->result_bytes);
  }
  transfers_.end(transfer, false);
}

void Remote::on_recall(Channel& channel) {
  channel.return_credits();
  Header header = remote::make_header(Verb::return_credits, channel.itself(), {state_.self});
  header.set_new_limit(channel.limit);
  state_.post_uncredited(channel, header);
}

// The wait for the operation reports a refusal; after that, the next fence of the target does.
void Remote::on_refused(Channel& channel, const Reply& reply) {
  if (on_refusal_) on_refusal_();
  if (reply.refused_verb == Verb::fence) return on_fence_answered(channel, true);
  COMEX_BUG_IF(reply.refused_verb == Verb::batch);  // this origin has sent a malformed batch
  if (batches_.note_refused(channel, reply)) return;
  Transfer* const transfer = reply.slot == protocol::no_slot ? nullptr : transfers_.of(channel, reply);
  const bool is_awaited = reply.refused_verb == Verb::release && reply.slot != protocol::no_slot;
  if (!protocol::is_write(reply.refused_verb) || is_awaited) {
    COMEX_BUG_IF(transfer == nullptr || transfer->verb != reply.refused_verb);
    return transfers_.refuse(*transfer);
  }
  // The slot may belong to another request by now, which has another number.
  if (transfer != nullptr && transfer->number == reply.value) {
    transfer->refusal_reported = true;
  } else {
    requests_.refuse_write(channel, reply);
  }
}

}  // namespace comex::op
