#include "op/remote/fences.h"

#include <atomic>
#include <utility>

namespace comex::op::remote {

using protocol::Verb;

// Direct stores are ordered before the fence here; its caller makes it a full one when it is over.
Request* Fences::start(Channel& channel, nb::Completion& completion) {
  std::atomic_thread_fence(std::memory_order_release);
  if (!channel.is_dirty()) return nullptr;
  // The fence leaves at once behind the batch.
  if (channel.batch != nullptr && !channel.reserved_busy) batches_.close(channel, true);
  if (channel.last_fence != nullptr) {
    completion.add();
    channel.last_fence->joined.push_back(&completion);
    return nullptr;
  }
  return channel.last_fence = requests_.make<Reserved>(channel.itself(), &completion, Reserved{Verb::fence});
}

Request* Fences::start_with_mirrors(const RemoteTarget& far, nb::Completion& completion) {
  std::atomic_thread_fence(std::memory_order_release);
  Channel& channel = channels_.at(far.server);
  const Reserved fence{.verb = Verb::fence, .with_mirrors = true};
  const RemoteTarget server{.world = far.world, .server = far.server};
  return channel.last_fence = requests_.make<Reserved>(server, &completion, fence);
}

bool Fences::send(Channel& channel, Request& request, const Reserved& reserved) {
  const bool is_fence = reserved.verb == Verb::fence;
  const std::uint64_t issued = is_fence ? channel.issued : 0;
  const bool has_more = reserved.with_mirrors || channel.is_unmirrored || channel.atomics != 0;
  if (is_fence && !has_more && channel.applied == issued) {
    end_fence(channel, request, false);
    return true;
  }
  if (channel.reserved_busy) return false;
  Header header = make_header(reserved.verb, request.far, state_.sender(request.errors_return));
  header.number = issued;
  header.set_mutex(reserved.mutex);
  if (reserved.with_mirrors) header.flags |= protocol::with_mirrors;
  state_.post_reserved(channel, header);
  channel.reserved = &request;
  request.sent = true;
  return true;
}

void Fences::end_reserved(Channel& channel, bool failed) {
  COMEX_BUG_IF(!channel.reserved_busy);
  channel.reserved_busy = false;
  Request* const request = std::exchange(channel.reserved, nullptr);
  if (request != nullptr) end_fence(channel, *request, failed);
}

// Also ends an unlock, which no other request joins.
void Fences::end_fence(Channel& channel, Request& request, bool failed) {
  if (channel.last_fence == &request) channel.last_fence = nullptr;
  request.sent = true;
  requests_.part_done(&request, failed);
}

// The slots of bodies that have left are free once their numbers are applied. A server with many spare
// credits may not tell that soon, so this asks. This fence passes the queue, whose head may need a slot.
void Fences::fetch_slots() {
  for (auto& [rank, channel] : channels_) {
    if (channel.slots_until_applied.empty() || channel.reserved_busy) continue;
    if (channel.batch != nullptr) batches_.close(channel);
    Header header = make_header(Verb::fence, channel.itself(), {state_.self});
    header.number = channel.issued;
    state_.post_reserved(channel, header);
    channel.reserved = nullptr;
  }
}

}  // namespace comex::op::remote
