// Holds what the parts of op::Remote share: the transport, the sender, the writes under way, the reply
// slots.
//
// Every message is sent by one of the post functions, which give it its place in the order and count its
// credit. Owned by op::Remote, under the engine lock.
#pragma once

#include <cstddef>
#include <cstring>

#include "core/trace.h"
#include "op/remote/channel.h"
#include "op/remote/framing.h"
#include "op/remote/writes.h"
#include "transport/slot_table.h"
#include "transport/transport.h"

namespace comex::op::remote {

struct Transfer;

struct SendState {
  transport::Transport& transport;
  const Worker self;
  const Sizes sizes;
  transport::SlotTable<Transfer*> slots;  // of replies; null: the far side may still use its tag
  Writes writes = {};
  bool errors_return = false;
  trace::Log* log = nullptr;

  Sender sender(bool returns) const {
    return {self, returns ? std::uint8_t{protocol::errors_return} : std::uint8_t{0}};
  }

  void note_sent(const Channel& channel, protocol::Verb verb) const {
    if (log == nullptr) return;
    log->add({.peer = channel.rank, .sequence = channel.sequence, .what = trace::What::sent, .verb = verb});
  }

  // Sends the staged message on a credit. `has_next`: another message to this server, or a body, follows.
  void post(Channel& channel, std::size_t bytes, bool has_next = false) {
    stamp(channel);
    transport.post(channel.rank, bytes, has_next);
    ++channel.sent;
  }
  // Sends a fence on the reserved credit.
  void post_reserved(Channel& channel, const Header& header) {
    std::memcpy(transport.stage(), &header, sizeof header);
    stamp(channel);
    transport.post(channel.rank, sizeof header);
    channel.reserved_busy = true;
  }
  // Sends a return of credits or a leave, which need no credit and have no place in the order.
  void post_uncredited(const Channel& channel, const Header& header) {
    std::memcpy(transport.stage(), &header, sizeof header);
    transport.post(channel.rank, sizeof header);
  }

 private:
  void stamp(Channel& channel) {
    ++channel.sequence;
    std::memcpy(transport.stage() + offsetof(Header, sequence), &channel.sequence, sizeof channel.sequence);
    note_sent(channel, static_cast<protocol::Verb>(transport.stage()[offsetof(Header, verb)]));
  }
};

}  // namespace comex::op::remote
