// Starts operations, queues them at their server, and sends them in their turn.
#include "op/remote/remote.h"

#include <algorithm>
#include <new>
#include <unordered_set>

namespace comex::op {

using protocol::Verb;

namespace {

// The caller may reuse its arrays when the call returns.
void copy_addresses(remote::Request& vector) {
  Scatter& scatter = std::get<remote::Data>(vector.what).operation.scatter;
  std::vector<void*>& to = vector.addresses;
  try {
    to.resize(2 * scatter.count);
  } catch (const std::bad_alloc&) {  // others already wait for the operation
    out_of_memory(2 * scatter.count * sizeof(void*), "the addresses of a vector");
  }
  void** const near = to.data();
  void** const far = near + scatter.count;
  std::copy_n(scatter.near, scatter.count, near);
  std::copy_n(scatter.far, scatter.count, far);
  scatter.near = near;
  scatter.far = far;
}

}  // namespace

Remote::Remote(transport::Transport& transport, const RemoteOptions& options)
    : max_outstanding_(std::max<std::size_t>(options.max_outstanding, 1)),
      under_way_(options.under_way),
      on_refusal_(options.on_refusal),
      state_{transport,
             options.self,
             options.sizes,
             transport::SlotTable<Transfer*>(options.slots, protocol::no_slot + 1),
             {},
             false,
             options.log},
      batches_(state_, channels_, requests_, transfers_, options.outbox) {}

// Operations started before keep the old setting: open batches are sent now, and each request stores its own.
void Remote::set_errors_return(bool on) {
  batches_.close_all();
  state_.errors_return = on;
}

// A request is sent at once if none is before it and all it needs is there; else it waits its turn. A small
// write that has to wait is copied, so that its caller need not.
void Remote::enqueue(Request* request) {
  Channel& channel = *request->channel;
  if (channel.batch != nullptr) batches_.close(channel);
  if (channel.queue.empty() && send(channel, *request)) return;
  copy(channel, *request);
  channel.queue.push_back(request);
  ++channel.queued;
  if (!channel.listed) {
    channel.listed = true;
    waiting_.push_back(&channel);
  }
}

bool Remote::send(Channel& channel, Request& request) {
  return std::visit([&](auto& what) { return send(channel, request, what); }, request.what);
}

unsigned Remote::pump(Channel& channel) {
  unsigned moved = 0;
  while (!channel.queue.empty()) {
    Request* const request = channel.queue.front();
    // A request that is sent whole may end and be reused at once, so its kind is asked for before.
    const bool was_copied = request->is<remote::Copied>();
    if (!send(channel, *request)) break;
    channel.queue.pop_front();
    ++channel.dequeued;
    if (was_copied) --channel.copied;
    ++moved;
  }
  return moved;
}

void Remote::start(const Operation& operation, const RemoteTarget& far, nb::Completion& completion) {
  const Plan plan = make_plan(operation, state_.sizes);
  if (plan.header.bytes == 0 || fails_at_once(far, completion)) return;
  Request* const request = requests_.make<remote::Data>(far, &completion, operation, plan);
  if (operation.layout == protocol::Layout::vector) copy_addresses(*request);
  if (operation.action != Action::get) state_.writes.queue(*request->channel);
  enqueue(request);
}

void Remote::append_or_start(const Operation& operation, const RemoteTarget& far,
                             nb::Completion& completion) {
  if (operation.is_blocking || !batches_.append(operation, far, completion))
    start(operation, far, completion);
}

void Remote::append_or_start(const AtomicOperation& operation, const RemoteTarget& far,
                             nb::Completion& completion) {
  if (operation.is_blocking || !batches_.append_atomic(operation, far, completion))
    start_atomic(operation, far, completion);
}

// The store has the next number after the put; one fence covers both.
void Remote::start_put_signal(Operation put, const void* far_word, std::uint64_t value,
                              const RemoteTarget& far, nb::Completion& completion, bool adds) {
  if (fails_at_once(far, completion)) return;
  if (!put.patch.empty()) put.signal = far_word;
  start(put, far, completion);
  // Where a progress rank is certain to give credits, the wait for the put also covers the sending of the
  // signal.
  Request* const request = make_word(Verb::store, far, far.has_progress_rank ? &completion : nullptr);
  Header& header = std::get<remote::WordRequest>(request->what).header;
  if (adds) header.flags |= protocol::adds;
  if (put.signal != nullptr) header.flags |= protocol::with_signal;
  header.offset = far.offset_of(far_word);
  header.bytes = sizeof value;
  header.set_value(value);
  enqueue(request);
}

void Remote::leave(TransportRank server, protocol::Leaving how) {
  if (!abandoned_ && !is_lost(server))
    enqueue(requests_.make<remote::Leave>(channels_.at(server).itself(), nullptr, remote::Leave{how}));
}

bool Remote::send(const Channel& channel, Request& request, const remote::Leave& leave) {
  Header header = remote::make_header(Verb::leave, request.far, {state_.self});
  header.set_leaving(leave.how);
  state_.post_uncredited(channel, header);
  requests_.release(&request);
  return true;
}

unsigned Remote::advance() {
  if (under_way_ != nullptr) under_way_->set(outstanding());
  unsigned moved = transfers_.advance();
  for (std::size_t i = 0; i < waiting_.size();) {
    Channel* const channel = waiting_[i];
    moved += pump(*channel);
    if (channel->queue.empty()) {
      channel->listed = false;
      waiting_[i] = waiting_.back();
      waiting_.pop_back();
    } else {
      ++i;
    }
  }
  if (transfers_.take_out_of_slots()) fetch_slots();
  return moved;
}

bool Remote::quiet() const {
  if (abandoned_) return true;
  return batches_.in_use() == 0 && requests_.in_use() == 0 && transfers_.in_use() == 0 &&
         std::none_of(channels_.begin(), channels_.end(),
                      [](const auto& channel) { return channel.second.reserved_busy; });
}

void Remote::tidy() {
  channels_.tidy();
  state_.writes.tidy();
  requests_.tidy();
  transfers_.tidy();
  batches_.tidy();
  state_.slots.tidy();
  nb::give_back_capacity(waiting_);
}

// Its requests and their slots are not used again, since answers may still be under way.
void Remote::lose(TransportRank server) {
  COMEX_BUG_IF(batches_.has_outbox());
  if (is_lost(server)) return;
  lost_.push_back(server);
  Channel& channel = channels_.at(server);
  std::unordered_set<Request*> requests(channel.queue.begin(), channel.queue.end());
  if (channel.reserved != nullptr) requests.insert(channel.reserved);
  state_.slots.for_each([&](const Transfer* transfer) {
    if (transfer != nullptr && &transfer->channel() == &channel) requests.insert(transfer->request);
  });
  transfers_.lose(channel);
  for (Request* request : requests) remote::Requests::fail(*request, nb::OperationError::host_lost);
  for (const Request* request : requests) given_up_ += remote::Requests::is_lock(*request) ? 0u : 1u;
  std::erase(waiting_, &channel);
  channel.queue = {};
  channel.listed = false;
  channel.reserved = channel.last_fence = nullptr;
  channel.reserved_busy = true;  // nothing more is sent to it
  state_.writes.give_up(channel);
}

std::size_t Remote::abandon() {
  COMEX_BUG_IF(batches_.has_outbox());    // a process that may have to give up servers has none
  std::unordered_set<Request*> requests;  // a request may have several transfers
  for (auto& [rank, channel] : channels_) {
    requests.insert(channel.queue.begin(), channel.queue.end());
    if (channel.reserved != nullptr) requests.insert(channel.reserved);
  }
  state_.slots.for_each([&](const Transfer* transfer) {
    if (transfer != nullptr) requests.insert(transfer->request);
  });
  abandoned_ = true;
  for (Request* request : requests) remote::Requests::fail(*request, nb::OperationError::reported);
  transfers_.abandon();
  waiting_.clear();
  channels_.clear();
  state_.writes = {};
  return requests.size();
}

}  // namespace comex::op
