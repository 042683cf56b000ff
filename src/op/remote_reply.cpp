// What servers say: data, done, refused, and the flow control that rides on every reply.
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
  Link& link = link_of(message.from);
  note(link, reply);
  switch (reply.verb) {
    case Verb::data:
      on_data(link, reply, data);
      break;
    case Verb::data_batch:
      on_data_batch(link, reply, data);
      break;
    case Verb::done:
      on_done(link, reply);
      break;
    case Verb::refused:
      on_refused(link, reply);
      break;
    case Verb::withdraw:
      surrender(link);
      break;
    default:
      COMEX_BUG_IF(reply.verb != Verb::credit);
      break;
  }
  pump(link);
}

Remote::Transfer* Remote::transfer_of(const Link& link, const Reply& reply) const {
  auto* transfer = static_cast<Transfer*>(slots_.owner(reply.slot));
  return transfer != nullptr && transfer->link == &link ? transfer : nullptr;
}

// The answer of an rmw, or a get small enough for one message.
void Remote::on_data(Link& link, const Reply& reply, std::span<const std::byte> data) {
  Transfer* transfer = transfer_of(link, reply);
  COMEX_BUG_IF(transfer == nullptr);
  if (transfer->verb == Verb::rmw) {
    std::memcpy(transfer->request->result, &reply.value, transfer->request->result_bytes);
  } else {
    COMEX_BUG_IF(transfer->verb != Verb::get || data.size() != transfer->bytes);
    transfer->near.scatter(data.data(), data.size());
  }
  end_transfer(transfer, false);
}

void Remote::on_done(Link& link, const Reply& reply) {
  if (reply.slot == nb::SlotTable::none) {
    end_reserved(link, false);
    return;
  }
  Transfer* transfer = transfer_of(link, reply);
  COMEX_BUG_IF(transfer == nullptr || (transfer->verb != Verb::lock && transfer->verb != Verb::try_lock));
  const Request& request = *transfer->request;
  if (request.result != nullptr) std::memcpy(request.result, &reply.value, request.result_bytes);
  end_transfer(transfer, false);
}

void Remote::end_reserved(Link& link, bool failed) {
  COMEX_BUG_IF(!link.reserved_busy);
  link.reserved_busy = false;
  Request* request = std::exchange(link.reserved, nullptr);
  if (request == nullptr) return;  // a fence of our own
  if (request->header.verb == Verb::fence) {
    end_fence(link, *request, failed);
  } else {
    part_done(request, failed);
  }
}

// A wait that is still to come reports it; if there is none, the next fence of that target does.
void Remote::on_refused(Link& link, const Reply& reply) {
  if (reply.refused_verb == Verb::fence || reply.refused_verb == Verb::unlock) {
    end_reserved(link, true);
    return;
  }
  COMEX_BUG_IF(reply.refused_verb == Verb::batch);  // what we wrote was no batch
  if (refuse_answer(link, reply)) return;
  Transfer* transfer = reply.slot == nb::SlotTable::none ? nullptr : transfer_of(link, reply);
  if (protocol::is_write(reply.refused_verb)) {
    // The slot may have gone to another request since: the number tells.
    const bool is_under_way = transfer != nullptr && transfer->number == reply.value;
    if (is_under_way) {
      transfer->refusal_told = true;
    } else {
      ledger_.add_failure({reply.world, reply.target});
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
