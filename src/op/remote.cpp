// Requests: made, queued at their server, and ended when their last part is.
#include "op/remote.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace comex::op {

using remote::Kind;

Remote::Remote(transport::Transport& transport, const RemoteOptions& options)
    : transport_(transport),
      self_(options.self),
      sizes_(options.sizes),
      max_outstanding_(std::max<std::size_t>(options.max_outstanding, 1)),
      outbox_(options.outbox),
      slots_(options.slots) {}

Remote::~Remote() = default;

// What was appended before is refused the way that was asked for then.
void Remote::set_errors_return(bool on) {
  send_batches();
  errors_return_ = on;
}

Remote::Request* Remote::new_request(Kind kind, const RemoteTarget& far, nb::Completion* completion) {
  Request* request = requests_.take();
  request->kind = kind;
  request->channel = &channel_of(far.server);
  request->far = far;
  request->completion = completion;
  request->failed = false;
  request->sent = false;
  request->parts = 0;
  request->next_segment = 0;
  request->result = nullptr;
  request->joined.clear();
  if (completion != nullptr) completion->add();
  return request;
}

void Remote::start(const Operation& operation, const RemoteTarget& far, nb::Completion& completion) {
  const Plan plan = make_plan(operation, sizes_);
  if (plan.method == PlanMethod::nothing || fails_at_once(completion)) return;
  Request* request = new_request(Kind::data, far, &completion);
  request->operation = operation;
  request->plan = plan;
  request->channel->world = far.world;
  if (operation.layout == protocol::Layout::vector) copy_addresses(*request);
  if (operation.action != Action::get) {
    ledger_.queue(far.server, far.gpid());
    request->channel->last_fence = nullptr;
  }
  enqueue(request);
}

// The caller's arrays are its own again when start() returns.
void Remote::copy_addresses(Request& request) {
  Scatter& scatter = request.operation.scatter;
  request.addresses.resize(2 * scatter.count);
  void** const near = request.addresses.data();
  void** const far = near + scatter.count;
  std::copy_n(scatter.near, scatter.count, near);
  std::copy_n(scatter.far, scatter.count, far);
  scatter.near = near;
  scatter.far = far;
}

// Sent at once if nothing is before it and all it needs is there; else it waits its turn. A small
// write that has to wait is copied, so that its caller need not.
void Remote::enqueue(Request* request) {
  Channel& channel = *request->channel;
  if (channel.batch != nullptr) close(channel);
  if (channel.queue.empty() && send_head(channel, *request)) return;
  if (request->kind == Kind::data) copy_message(channel, *request);
  channel.queue.push_back(request);
  if (!channel.listed) {
    channel.listed = true;
    waiting_.push_back(&channel);
  }
}

// One part, or the sending itself, is over.
void Remote::part_done(Request* request, bool failed) {
  if (failed) request->failed = true;
  if (!request->sent || request->parts != 0) return;
  if (request->completion != nullptr) {
    if (request->kind == Kind::data && request->operation.call != 0) end_write(*request);
    if (request->failed) request->completion->fail();
    request->completion->complete();
  }
  release(request);
}

void Remote::release(Request* request) {
  if (request->addresses.capacity() > remote::kept_addresses) std::vector<void*>().swap(request->addresses);
  requests_.give_back(request);
}

// What was stored directly comes before the fence; who called makes it a full one when it is over.
void Remote::start_fence(TransportRank server, nb::Completion& completion) {
  std::atomic_thread_fence(std::memory_order_release);
  if (!ledger_.dirty(server)) return;
  Channel& channel = channel_of(server);
  if (channel.last_fence == nullptr && channel.batch != nullptr && !channel.reserved_busy &&
      close(channel, true)) {
    ride(channel);
  }
  if (channel.last_fence != nullptr) {
    completion.add();
    channel.last_fence->joined.push_back(&completion);
    return;
  }
  RemoteTarget far;
  far.server = server;
  far.world = channel.world;
  Request* request = new_request(Kind::reserved, far, &completion);
  request->header = {};
  request->header.verb = protocol::Verb::fence;
  channel.last_fence = request;
  enqueue(request);
}

void Remote::start_fence_all(nb::Completion& completion) {
  ledger_.for_each_dirty([&](TransportRank server) { start_fence(server, completion); });
}

void Remote::leave(TransportRank server, protocol::Leaving how) {
  if (abandoned_) return;
  RemoteTarget far;
  far.server = server;
  far.world = channel_of(server).world;
  Request* const request = new_request(Kind::leave, far, nullptr);
  request->header.operand = static_cast<std::uint64_t>(how);
  enqueue(request);
}

unsigned Remote::advance() {
  unsigned moved = 0;
  for (std::size_t i = 0; i < moving_.size();) {
    Transfer* transfer = moving_[i];
    moved += move_body(*transfer);
    // A transfer that ended has taken itself off the list.
    if (i < moving_.size() && moving_[i] == transfer) ++i;
  }
  for (std::size_t i = 0; i < waiting_.size();) {
    Channel* channel = waiting_[i];
    moved += pump(*channel);
    if (channel->queue.empty()) {
      channel->listed = false;
      waiting_[i] = waiting_.back();
      waiting_.pop_back();
    } else {
      ++i;
    }
  }
  if (slots_short_) fence_for_slots();
  return moved;
}

bool Remote::quiet() const {
  if (abandoned_) return true;
  return batches_.in_use() == 0 && requests_.in_use() == 0 && transfers_.in_use() == 0 &&
         std::none_of(channels_.begin(), channels_.end(),
                      [](const auto& channel) { return channel.second.reserved_busy; });
}

}  // namespace comex::op
