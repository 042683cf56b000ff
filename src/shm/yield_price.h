// What a yield of the core has cost lately: next to nothing where nobody else is on it, a turn of another
// that waits as well, a time slice beside one that computes.
//
// After a dear yield none is wanted for ten times as long, twice as long as the last time while they stay
// dear. After one that was a turn spins are short for a while: whoever shares the core may be who is waited
// for. Shared by the waits of a process, of any of its threads; what one loses to another is a guess.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace comex::shm {

class YieldPrice {
 public:
  // A yield that took as long went to a computing neighbour, or to a waiting one. dear_ns 0: nobody asks.
  explicit YieldPrice(std::uint64_t dear_ns, std::uint64_t turn_ns = 1'200)
      : dear_ns_(dear_ns), turn_ns_(turn_ns) {}

  bool is_asked() const { return dear_ns_ != 0; }
  bool is_dear(std::uint64_t now_ns) const { return now_ns < dear_until_ns_.load(std::memory_order_relaxed); }
  bool was_turn(std::uint64_t now_ns) const {
    return now_ns < turns_until_ns_.load(std::memory_order_relaxed);
  }

  // One took so long; true when that was dear.
  bool note(std::uint64_t took_ns, std::uint64_t now_ns) {
    if (!is_asked()) return false;
    if (took_ns < dear_ns_) {
      if (took_ns >= turn_ns_) turns_until_ns_.store(now_ns + turns_for_ns, std::memory_order_relaxed);
      if (cheap_.fetch_add(1, std::memory_order_relaxed) == cheap_again) {
        last_ns_.store(0, std::memory_order_relaxed);
      }
      return false;
    }
    const std::uint64_t last = last_ns_.load(std::memory_order_relaxed);
    const std::uint64_t next = std::min(std::max(took_ns * share, last * 2), most_ns);
    cheap_.store(0, std::memory_order_relaxed);
    last_ns_.store(next, std::memory_order_relaxed);
    dear_until_ns_.store(now_ns + next, std::memory_order_relaxed);
    return true;
  }

 private:
  static constexpr std::uint64_t share = 10;
  static constexpr std::uint64_t most_ns = 1'000'000'000;
  static constexpr std::uint64_t turns_for_ns = 100'000;
  static constexpr std::uint32_t cheap_again = 100;

  std::uint64_t dear_ns_;
  std::uint64_t turn_ns_;
  std::atomic<std::uint64_t> dear_until_ns_{0};
  std::atomic<std::uint64_t> turns_until_ns_{0};
  std::atomic<std::uint64_t> last_ns_{0};  // how long none was wanted
  std::atomic<std::uint32_t> cheap_{0};    // yields since then
};

}  // namespace comex::shm
