#include "op/engine.h"

#include <chrono>
#include <thread>
#include <utility>

namespace comex::op {

namespace {

constexpr int messages_per_pump = 16;
// Waiting threads that do not poll look at their condition this often.
constexpr std::chrono::microseconds beside_poller{50};

}  // namespace

Engine::Engine(transport::Transport& transport, const Sinks& sinks, shm::Os& os, EngineOptions options)
    : own_{&transport, sinks}, os_(os), options_(std::move(options)), mutex_(options_.has_threads) {}

void Engine::enter_late(Lock& lock) {
  wanting_.fetch_add(1, std::memory_order_relaxed);
  lock.lock();
  wanting_.fetch_sub(1, std::memory_order_relaxed);
}

void Engine::let_others_pass() const {
  if (wanting_.load(std::memory_order_relaxed) != 0) std::this_thread::yield();
}

void Engine::dispatch(const Sinks& sinks, const transport::Message& message) {
  COMEX_BUG_IF(message.data.empty());
  const auto verb = static_cast<protocol::Verb>(message.data[0]);
  transport::Sink* sink = sinks.control;
  if (protocol::is_request(verb)) {
    sink = sinks.server;
  } else if (protocol::is_reply(verb)) {
    sink = sinks.origin;
  }
  COMEX_BUG_IF(sink == nullptr);
  sink->on_message(message);
}

// Looking for one more message is a system call on some transports, so it is not done once `done` holds.
unsigned Engine::pump(const Attachment& attachment, const Condition* done) {
  const Sinks& sinks = attachment.sinks;
  unsigned moved = 0;
  transport::Message message;
  for (int i = 0; i < messages_per_pump && attachment.transport->receive(message); ++i) {
    dispatch(sinks, message);
    ++moved;
    if (done != nullptr && (*done)()) break;
  }
  if (moved == 0) attachment.transport->progress();
  for (transport::Sink* sink : {sinks.server, sinks.origin, sinks.control}) {
    if (sink != nullptr) moved += sink->advance();
  }
  return moved;
}

unsigned Engine::pump(const Condition* done) {
  unsigned moved = pump(own_, done);
  for (const Attachment& other : others_) moved += pump(other, done);
  look_at_needs();
  return moved;
}

void Engine::look_at_needs() {
  const auto needs = [](const Attachment& wire) {
    return wire.transport->unsent() != 0 ||
           (wire.sinks.origin != nullptr && wire.sinks.origin->has_to_advance());
  };
  const bool needs_now = needs(own_) || std::ranges::any_of(others_, needs);
  if (needs_now != needs_polls()) needs_polls_.store(needs_now, std::memory_order_relaxed);
}

void Engine::attach(transport::Transport& transport, const Sinks& sinks) {
  others_.push_back({&transport, sinks});
}

void Engine::detach(const transport::Transport& transport) {
  std::erase_if(others_, [&transport](const Attachment& each) { return each.transport == &transport; });
}

void Engine::tell_of_wait() {
  if (own_.sinks.origin != nullptr) own_.sinks.origin->before_wait();
}

unsigned Engine::poll() {
  let_others_pass();
  if (between_rounds_) between_rounds_();
  if (options_.when_idle) options_.when_idle();
  const Lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  tell_of_wait();
  return pump();
}

unsigned Engine::poll_aside() {
  let_others_pass();
  if (options_.when_idle) options_.when_idle();
  const Lock lock(mutex_, std::try_to_lock);
  return lock.owns_lock() ? pump() : 0;
}

// The newest wait takes over the polling, since an older one may be about to nap for long. Other threads get
// the lock between two rounds, and for the whole of a pause.
Engine::Lock Engine::wait_with(Lock lock, Condition condition, const WaitReason& reason) {
  tell_of_wait();
  const std::uint64_t me = ++waits_;
  poller_ = me;
  StallWatch watch(os_, options_.stall, reason);
  shm::Idle idle(os_, options_.wait, options_.doorbell);
  bool is_done = false;
  const auto holds = [&] {  // not asked again once it held: it may take what it finds
    return is_done = is_done || condition();
  };
  const Condition done(holds);
  for (;;) {
    if (poller_ == 0) poller_ = me;
    const bool polls = poller_ == me;
    const unsigned moved = polls ? pump(&done) : 0;
    if (holds()) {
      if (poller_ == me) poller_ = 0;
      return lock;
    }
    lock.unlock();
    if (between_rounds_) between_rounds_();
    watch.set_slow(!polls || idle.would_nap());
    if (!polls) {
      std::this_thread::sleep_for(beside_poller);
    } else if (moved != 0) {
      idle.reset();
    } else {
      if (options_.when_idle && idle.would_nap()) options_.when_idle();
      idle.pause();
    }
    watch.look();
    let_others_pass();
    lock.lock();
  }
}

}  // namespace comex::op
