// Starts operations, queues them at their server, and sends them in their turn.
#include "op/remote/remote.h"

#include <algorithm>
#include <unordered_set>

namespace comex::op {

using protocol::Verb;

namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

}  // namespace

Remote::Remote(transport::Transport& transport, const RemoteOptions& options)
    : max_outstanding_(std::max<std::size_t>(options.max_outstanding, 1)),
      under_way_(options.under_way),
      on_refusal_(options.on_refusal),
      state_{transport,
             options.self,
             options.sizes,
             transport::SlotTable<remote::Transfer*>(options.slots, protocol::no_slot + 1),
             {},
             false,
             options.log},
      batches_(state_, channels_, requests_, transfers_, options.outbox) {}

// Operations started before keep the old setting: open batches are sent now, and each request stores its own.
void Remote::set_errors_return(bool on) {
  send_batches();
  state_.errors_return = on;
}

// A request is sent at once if none is before it and all it needs is there; else it waits its turn. A small
// write that has to wait is copied, so that its caller need not.
void Remote::enqueue(Request* request) {
  Channel& channel = *request->channel;
  if (channel.batch != nullptr) batches_.close(channel);
  if (channel.queue.empty() && send(channel, *request)) return;
  data_.copy(channel, *request);
  channel.queue.push_back(request);
  ++channel.queued;
  if (!channel.listed) {
    channel.listed = true;
    waiting_.push_back(&channel);
  }
}

// Returns true when all messages have left, false when something that the next one needs is missing.
bool Remote::send(Channel& channel, Request& request) {
  return std::visit(
      Overload{
          [&](remote::Data& data) { return data_.send(channel, request, data); },
          [&](remote::Copied& copied) { return data_.send(channel, request, copied); },
          [&](remote::WordRequest& word) { return words_.send(channel, request, word); },
          [&](const remote::Reserved& reserved) { return fences_.send(channel, request, reserved); },
          [&](const remote::Leave& leave) {
            remote::Header header = remote::make_header(Verb::leave, request.far, {state_.self});
            header.set_leaving(leave.how);
            state_.post_uncredited(channel, header);
            requests_.release(&request);
            return true;
          },
          [](const remote::Awaited&) { return true; },
      },
      request.what);
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
  enqueue(data_.make(operation, plan, far, completion));
}

bool Remote::append(const Operation& operation, const RemoteTarget& far) {
  if (operation.action == Action::get || !takes(operation)) return false;
  const std::uint64_t bytes = operation.patch.total_bytes();
  if (operation.action == Action::put)
    return append_put(operation.near, operation.far, bytes, far, operation.called);
  return append_acc({operation.scalar, operation.scale.bytes}, operation.near, operation.far, bytes, far,
                    operation.called);
}

void Remote::append_or_start(const Operation& operation, const RemoteTarget& far,
                             nb::Completion& completion) {
  const bool is_small_get = operation.action == Action::get && takes(operation);
  const bool is_taken =
      !operation.is_blocking &&
      (is_small_get ? append_get(operation.near, operation.far, operation.patch.total_bytes(), far,
                                 completion, operation.called)
                    : append(operation, far));
  if (!is_taken) start(operation, far, completion);
}

void Remote::append_or_start(const AtomicOperation& operation, const RemoteTarget& far,
                             nb::Completion& completion) {
  const bool is_taken = !operation.is_blocking && append_atomic(operation, far, completion);
  if (!is_taken) start_atomic(operation, far, completion);
}

// The store has the next number after the put; one fence covers both.
void Remote::start_put_signal(Operation put, const void* far_word, std::uint64_t value,
                              const RemoteTarget& far, nb::Completion& completion, bool adds) {
  if (fails_at_once(far, completion)) return;
  if (!put.patch.empty()) put.signal = far_word;
  start(put, far, completion);
  std::uint8_t flags = adds ? std::uint8_t{protocol::adds} : std::uint8_t{0};
  if (put.signal != nullptr) flags |= protocol::with_signal;
  // Where a progress rank is certain to give credits, the wait for the put also covers the sending of the
  // signal.
  nb::Completion* const sent = far.has_progress_rank ? &completion : nullptr;
  enqueue(words_.make_store(far_word, value, far, flags, sent));
}

void Remote::start_fence(TransportRank server, nb::Completion& completion) {
  if (dirty(server)) start_fence(channels_.at(server), completion);
}

void Remote::start_fence(Channel& channel, nb::Completion& completion) {
  if (Request* const fence = fences_.start(channel, completion)) enqueue(fence);
}

void Remote::start_fence_all(nb::Completion& completion) {
  state_.writes.for_each_dirty([&](Channel& channel) { start_fence(channel, completion); });
}

void Remote::start_fence_with_mirrors(const RemoteTarget& far, nb::Completion& completion) {
  if (!abandoned_ && !is_lost(far.server)) enqueue(fences_.start_with_mirrors(far, completion));
}

void Remote::leave(TransportRank server, protocol::Leaving how) {
  if (!abandoned_ && !is_lost(server))
    enqueue(requests_.make<remote::Leave>(channels_.at(server).itself(), nullptr, remote::Leave{how}));
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
  if (transfers_.take_out_of_slots()) fences_.fetch_slots();
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
  state_.slots.for_each([&](const remote::Transfer* transfer) {
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
  state_.slots.for_each([&](const remote::Transfer* transfer) {
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
