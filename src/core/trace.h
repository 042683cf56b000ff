// What one process has done and when, event by event, for COMEX_TRACE.
//
// A log has room for a fixed number of events; when it is full, further ones are only counted. Any thread may
// add, at some 50 ns an event. Memory is touched as it fills; the process ends with a line if it cannot have
// so much. Owned by a World; calls, op and pr add to it, runtime/opening/trace_file writes it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "core/protocol.h"
#include "core/status.h"

namespace comex::trace {

enum class What : std::uint8_t {
  operation,  // a put, get, acc or rmw; `peer`: row of core/activity, as if every host had one
  wait,       // `peer`: the worker that it waits for, or -1
  sent,       // a request to a server; `peer`: its MPI rank, `sequence`: its place in the order
  served,     // a request of an origin; `peer`: the origin's MPI rank, `sequence`: its place in the order
};

struct Event {
  std::uint64_t begin_ns = 0;  // of the machine's monotonic clock
  std::uint64_t end_ns = 0;
  std::uint64_t bytes = 0;
  const char* name = nullptr;  // of operations and waits; it is never freed
  std::int32_t peer = -1;
  std::uint16_t sequence = 0;  // of sent and served; wraps
  What what{};
  protocol::Verb verb{};  // of sent and served
};
static_assert(sizeof(Event) == 40);

class Log {
 public:
  explicit Log(std::uint32_t most)
      : events_(static_cast<Event*>(std::malloc(std::size_t{most} * sizeof(Event)))), most_(most) {
    if (events_ == nullptr) out_of_memory(std::size_t{most} * sizeof(Event), "COMEX_TRACE_EVENTS events");
  }

  static std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
  }
  // Adds an event that begins and ends now. Returns its number, for end(); 0: the log is full.
  std::uint32_t add(Event event) {
    event.begin_ns = event.end_ns = now_ns();
    return add_as_is(event);
  }
  std::uint32_t add_as_is(const Event& event) {
    const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
    if (number >= most_) return 0;
    events_[number] = event;
    return static_cast<std::uint32_t>(number) + 1;
  }
  void end(std::uint32_t number) {
    if (number != 0) events_[number - 1].end_ns = now_ns();
  }

  // When nobody adds any more.
  std::span<Event> events() {
    return {events_.get(), static_cast<std::size_t>(std::min<std::uint64_t>(next_.load(), most_))};
  }
  std::uint64_t lost() const { return next_.load() - std::min<std::uint64_t>(next_.load(), most_); }

 private:
  struct Free {
    void operator()(Event* events) const { std::free(events); }
  };
  std::unique_ptr<Event[], Free> events_;  // not initialized
  const std::uint64_t most_;
  std::atomic<std::uint64_t> next_{0};
};

}  // namespace comex::trace
