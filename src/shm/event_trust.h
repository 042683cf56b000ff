// Whether who waits for messages may rely on events of which nobody promises that they come with them.
//
// Pure; a value. The longest sleep grows fourfold with each message that came with an event. A message
// without one, or several events in a row without a message, take all of it back, and nobody listens then
// until messages have come, twice as many each time. Owned by WatchedNaps.
#pragma once

#include <algorithm>
#include <cstdint>

namespace comex::shm {

class EventTrust {
 public:
  EventTrust(std::uint64_t first_ns, std::uint64_t most_ns)
      : first_ns_(first_ns), most_ns_(std::max(first_ns, most_ns)), longest_ns_(first_ns) {}

  bool listens() const { return owed_ == 0; }
  bool is_earned() const { return longest_ns_ > first_ns_; }
  std::uint64_t longest_ns() const { return longest_ns_; }

  void on_message(bool has_event) {
    if (!has_event) {
      lose();
      return;
    }
    events_alone_ = 0;
    longest_ns_ = std::min(longest_ns_ * growth, most_ns_);
  }
  void on_event_alone() {
    if (++events_alone_ == most_events_alone) lose();
  }
  // While nobody listens.
  void on_unheard_message() { owed_ -= owed_ == 0 ? 0 : 1; }

 private:
  static constexpr std::uint64_t growth = 4;
  static constexpr unsigned most_events_alone = 4;
  static constexpr std::uint32_t most_owed = 1024;

  void lose() {
    longest_ns_ = first_ns_;
    events_alone_ = 0;
    price_ = std::min(2 * price_, most_owed);
    owed_ = price_;
  }

  std::uint64_t first_ns_;
  std::uint64_t most_ns_;
  std::uint64_t longest_ns_;
  unsigned events_alone_ = 0;
  std::uint32_t price_ = 1;
  std::uint32_t owed_ = 0;
};

}  // namespace comex::shm
