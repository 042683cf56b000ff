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

// A request of a call of several messages whose end somebody waits for.
Remote::Request* Remote::awaited(const Link& link, std::uint32_t call) const {
  Request* found = nullptr;
  const auto look_at = [&](Request* request) {
    const bool is_of_call = request->kind == remote::Kind::data && request->operation.call == call;
    if (is_of_call && request->completion != nullptr) found = request;
  };
  std::ranges::for_each(link.queue, look_at);
  slots_.for_each_owner([&](void* owner) { look_at(static_cast<const Transfer*>(owner)->request); });
  return found;
}

bool Remote::is_told(const Link& link, std::uint32_t call) {
  return std::ranges::find(link.told, call, &ToldCall::call) != link.told.end();
}

// Until all of its messages so far have been answered.
void Remote::note_told(Link& link, std::uint32_t call) {
  std::erase_if(link.told, [&](const ToldCall& each) {
    return each.call == call ||
           (each.number <= ledger_.applied(link.rank) && awaited(link, each.call) == nullptr);
  });
  link.told.push_back({call, ledger_.issued(link.rank)});
}

// A request of such a call is over. Its wait tells a refusal, and nobody tells those that are still to come.
void Remote::end_write(const Request& request) {
  Link& link = *request.link;
  const std::uint32_t call = request.operation.call;
  if (request.failed || is_told(link, call)) note_told(link, call);
}

// What has no transfer any more, or never had one. The first refusal of a call is told: by the wait for it if
// that is still to come.
void Remote::refuse_write(Link& link, const Reply& reply) {
  if (reply.call != 0) {
    if (Request* request = awaited(link, reply.call)) {
      request->failed = true;
      return;
    }
    if (is_told(link, reply.call)) return;
    note_told(link, reply.call);
  }
  ledger_.add_failure({reply.world, reply.target});
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
      refuse_write(link, reply);
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
