#include "shm/watched_naps.h"

#include <algorithm>
#include <utility>

namespace comex::shm {

namespace {
constexpr std::uint64_t least_part_of_a_nap = 4;
// As long naps at the end of a long wait: nobody waits for longer than this part of the time that has passed,
// should the first message come without an event.
constexpr std::uint64_t naps_in_a_long_wait = 1000;
}  // namespace

WatchedNaps::WatchedNaps(std::unique_ptr<SocketWatch> watch, std::uint64_t nap_max_ns)
    : watch_(std::move(watch)), least_ns_(nap_max_ns / least_part_of_a_nap), trust_(nap_max_ns, most_ns) {}

std::uint64_t WatchedNaps::nap_ns(const Idle& idle) const {
  const std::uint64_t late = std::min(idle.stalled_for() / naps_in_a_long_wait, most_ns);
  return std::max({idle.nap_ns(), late, trust_.is_earned() ? trust_.longest_ns() : 0});
}

bool WatchedNaps::step(Idle& idle, std::uint64_t messages, std::uint64_t at_most_ns) {
  if (!idle.would_nap() || idle.nap_ns() < least_ns_) return false;
  if (!is_armed_ && !arm(messages)) return false;
  if (looks_ != 0) {
    --looks_;
    return true;
  }
  const bool is_rung = idle.sleep(std::min(nap_ns(idle), at_most_ns));
  is_judging_ = true;
  messages_ = messages;
  has_heard_ = watch_->heard();
  if (has_heard_) {
    is_armed_ = false;
    idle.reset();
  } else if (is_rung) {
    is_armed_ = false;  // by the watch, perhaps, for what is over by now: it rings once only
  } else if (trust_.is_earned()) {
    looks_ = looks_before_sleep;
  }
  return true;
}

bool WatchedNaps::arm(std::uint64_t messages) {
  if (is_judging_ && has_heard_) trust_.on_event_alone();
  is_judging_ = false;
  if (!trust_.listens()) {
    if (messages != messages_) trust_.on_unheard_message();
    messages_ = messages;
    return false;
  }
  is_armed_ = watch_->arm();
  looks_ = looks_before_sleep;
  return is_armed_;
}

void WatchedNaps::disarm() {
  watch_->disarm();
  is_armed_ = false;
}

// An event shows also when it came after the nap, between two looks.
void WatchedNaps::judge(std::uint64_t messages) {
  if (messages == messages_) return;
  trust_.on_message(has_heard_ || watch_->heard());
  messages_ = messages;
  is_judging_ = false;
}

}  // namespace comex::shm
