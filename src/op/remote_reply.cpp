// What servers say: data, done, refused, and the flow control that rides on every reply.
#include <algorithm>
#include <cstring>
#include <utility>

#include "op/remote.h"

namespace comex::op {

using protocol::Verb;

void Remote::on_message(const transport::Message& message) {
  if (abandoned_) return;
  Reply reply;
  COMEX_BUG_IF(message.data.size() < sizeof reply);
  std::memcpy(&reply, message.data.data(), sizeof reply);
  const std::span<const std::byte> data = message.data.subspan(sizeof reply);
  Channel& channel = channel_of(message.from);
  note(channel, reply);
  switch (reply.verb) {
    case Verb::data:
      on_data(channel, reply, data);
      break;
    case Verb::data_batch:
      on_data_batch(channel, reply, data);
      break;
    case Verb::done:
      on_done(channel, reply);
      break;
    case Verb::refused:
      on_refused(channel, reply);
      break;
    case Verb::withdraw:
      surrender(channel);
      break;
    default:
      COMEX_BUG_IF(reply.verb != Verb::credit);
      break;
  }
  pump(channel);
}

Remote::Transfer* Remote::transfer_of(const Channel& channel, const Reply& reply) const {
  auto* transfer = static_cast<Transfer*>(slots_.owner(reply.slot));
  return transfer != nullptr && transfer->channel == &channel ? transfer : nullptr;
}

// The answer of an rmw, or a get small enough for one message.
void Remote::on_data(Channel& channel, const Reply& reply, std::span<const std::byte> data) {
  Transfer* transfer = transfer_of(channel, reply);
  COMEX_BUG_IF(transfer == nullptr);
  if (transfer->verb == Verb::rmw) {
    std::memcpy(transfer->request->result, &reply.value, transfer->request->result_bytes);
  } else {
    COMEX_BUG_IF(transfer->verb != Verb::get || data.size() != transfer->bytes);
    transfer->near.scatter(data.data(), data.size());
  }
  end_transfer(transfer, false);
}

void Remote::on_done(Channel& channel, const Reply& reply) {
  if (reply.slot == nb::SlotTable::none) {
    end_reserved(channel, false);
    return;
  }
  Transfer* transfer = transfer_of(channel, reply);
  COMEX_BUG_IF(transfer == nullptr || (transfer->verb != Verb::lock && transfer->verb != Verb::try_lock));
  const Request& request = *transfer->request;
  if (request.result != nullptr) std::memcpy(request.result, &reply.value, request.result_bytes);
  end_transfer(transfer, false);
}

void Remote::end_reserved(Channel& channel, bool failed) {
  COMEX_BUG_IF(!channel.reserved_busy);
  channel.reserved_busy = false;
  Request* request = std::exchange(channel.reserved, nullptr);
  if (request == nullptr) return;  // a fence of our own
  if (request->header.verb == Verb::fence) {
    end_fence(channel, *request, failed);
  } else {
    part_done(request, failed);
  }
}

// A request of a call of several messages whose end somebody waits for.
Remote::Request* Remote::awaited(const Channel& channel, std::uint32_t call) const {
  Request* found = nullptr;
  const auto look_at = [&](Request* request) {
    const bool is_of_call = request->kind == remote::Kind::data && request->operation.call == call;
    if (is_of_call && request->completion != nullptr) found = request;
  };
  std::ranges::for_each(channel.queue, look_at);
  slots_.for_each_owner([&](void* owner) { look_at(static_cast<const Transfer*>(owner)->request); });
  return found;
}

bool Remote::is_told(const Channel& channel, std::uint32_t call) {
  return std::ranges::find(channel.told, call, &ToldCall::call) != channel.told.end();
}

// Until all of its messages so far have been answered.
void Remote::note_told(Channel& channel, std::uint32_t call) {
  std::erase_if(channel.told, [&](const ToldCall& each) {
    return each.call == call ||
           (each.number <= ledger_.applied(channel.rank) && awaited(channel, each.call) == nullptr);
  });
  channel.told.push_back({call, ledger_.issued(channel.rank)});
}

// A request of such a call is over. Its wait tells a refusal, and nobody tells those that are still to come.
void Remote::end_write(const Request& request) {
  Channel& channel = *request.channel;
  const std::uint32_t call = request.operation.call;
  if (request.failed || is_told(channel, call)) note_told(channel, call);
}

// What has no transfer any more, or never had one. The first refusal of a call is told: by the wait for it if
// that is still to come.
void Remote::refuse_write(Channel& channel, const Reply& reply) {
  if (reply.call != 0) {
    if (Request* request = awaited(channel, reply.call)) {
      request->failed = true;
      return;
    }
    if (is_told(channel, reply.call)) return;
    note_told(channel, reply.call);
  }
  ledger_.add_failure({reply.world, reply.target});
}

// A wait that is still to come reports it; if there is none, the next fence of that target does.
void Remote::on_refused(Channel& channel, const Reply& reply) {
  if (reply.refused_verb == Verb::fence || reply.refused_verb == Verb::unlock) {
    end_reserved(channel, true);
    return;
  }
  COMEX_BUG_IF(reply.refused_verb == Verb::batch);  // what we wrote was no batch
  if (refuse_answer(channel, reply)) return;
  Transfer* transfer = reply.slot == nb::SlotTable::none ? nullptr : transfer_of(channel, reply);
  if (protocol::is_write(reply.refused_verb)) {
    // The slot may have gone to another request since: the number tells.
    const bool is_under_way = transfer != nullptr && transfer->number == reply.value;
    if (is_under_way) {
      transfer->refusal_told = true;
    } else {
      refuse_write(channel, reply);
    }
    return;
  }
  COMEX_BUG_IF(transfer == nullptr);
  transfer->refused = transfer->refusal_told = true;
  if (!transfer->has_body) {
    end_transfer(transfer, true);
  } else {
    receive_chunks(*transfer);
  }
}

}  // namespace comex::op
