// Starts and sends fences. They have a reserved credit: one is under way to each server.
//
// Callers whose writes one fence covers wait for the same answer. A fence is not sent if all it covers is
// complete.
#include <atomic>
#include <utility>

#include "op/remote/remote.h"

namespace comex::op {

using protocol::Verb;
using remote::Fence;

void Remote::start_fence(TransportRank server, nb::Completion& completion) {
  if (dirty(server)) start_fence(channels_.at(server), completion);
}

void Remote::start_fence_all(nb::Completion& completion) {
  state_.writes.for_each_dirty([&](Channel& channel) { start_fence(channel, completion); });
}

// Direct stores are ordered before the fence here; its caller makes it a full one when it is over.
void Remote::start_fence(Channel& channel, nb::Completion& completion) {
  std::atomic_thread_fence(std::memory_order_release);
  if (!channel.is_dirty()) return;
  // The fence leaves at once behind the batch.
  if (channel.batch != nullptr && !channel.reserved_busy) batches_.close(channel, true);
  if (channel.last_fence != nullptr) {
    completion.add();
    channel.last_fence->joined.push_back(&completion);
    return;
  }
  channel.last_fence = requests_.make<Fence>(channel.itself(), &completion);
  enqueue(channel.last_fence);
}

void Remote::start_fence_with_mirrors(const RemoteTarget& far, nb::Completion& completion) {
  if (abandoned_ || is_lost(far.server)) return;
  std::atomic_thread_fence(std::memory_order_release);
  const RemoteTarget server{.world = far.world, .server = far.server};
  Request* const request = requests_.make<Fence>(server, &completion, Fence{.with_mirrors = true});
  request->channel->last_fence = request;
  enqueue(request);
}

bool Remote::send(Channel& channel, Request& request, const Fence& fence) {
  const bool has_more = fence.with_mirrors || channel.is_unmirrored || channel.atomics != 0;
  if (!has_more && channel.applied == channel.issued) {
    end_fence(channel, request, false);
    return true;
  }
  if (channel.reserved_busy) return false;
  Header header = remote::make_header(Verb::fence, request.far, state_.sender(request.errors_return));
  header.number = channel.issued;
  if (fence.with_mirrors) header.flags |= protocol::with_mirrors;
  state_.post_reserved(channel, header);
  channel.reserved = &request;
  request.sent = true;
  return true;
}

void Remote::on_fence_answered(Channel& channel, bool failed) {
  COMEX_BUG_IF(!channel.reserved_busy);
  channel.reserved_busy = false;
  Request* const request = std::exchange(channel.reserved, nullptr);
  if (request != nullptr) end_fence(channel, *request, failed);
}

void Remote::end_fence(Channel& channel, Request& request, bool failed) {
  if (channel.last_fence == &request) channel.last_fence = nullptr;
  request.sent = true;
  requests_.part_done(&request, failed);
}

// The slots of bodies that have left are free once their numbers are applied. A server with many spare
// credits may not tell that soon, so this asks. This fence passes the queue, whose head may need a slot.
void Remote::fetch_slots() {
  for (auto& [rank, channel] : channels_) {
    if (channel.slots_until_applied.empty() || channel.reserved_busy) continue;
    if (channel.batch != nullptr) batches_.close(channel);
    Header header = remote::make_header(Verb::fence, channel.itself(), {state_.self});
    header.number = channel.issued;
    state_.post_reserved(channel, header);
    channel.reserved = nullptr;
  }
}

}  // namespace comex::op
