// Counts what a server and its pusher have done. Both own plain numbers; tests and reports read them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace comex::pr {

struct ServerCounters {
  std::uint64_t requests = 0;     // messages
  std::uint64_t batches = 0;      // of these
  std::uint64_t batch_items = 0;  // operations that came in batches
  std::uint64_t early = 0;        // messages that came before their turn
  std::uint64_t at_once = 0;      // requests executed straight from the message
  std::uint64_t refused = 0;
  std::uint64_t chunks = 0;      // of bodies, worked on or sent
  std::uint64_t credited = 0;    // requests that take a credit
  std::uint64_t queued = 0;      // of these, in queues now
  std::uint64_t queued_met = 0;  // requests that each found in queues, summed up
  std::uint64_t queued_peak = 0;
  std::uint64_t queue_bound = 0;  // the most credits that there were at once
};

// What a pusher has sent for workers that made no call, by the times at which they began each batch.
struct PushCounters {
  std::uint64_t batches = 0;
  std::uint64_t waited_ns = 0;  // from the first item until the batch was sent, in all
  std::uint64_t longest_ns = 0;
  std::uint64_t late = 0;  // batches that waited longer than allowed
  std::uint64_t allowed_ns = 0;

  void count(std::uint64_t waited) {
    ++batches;
    waited_ns += waited;
    longest_ns = std::max(longest_ns, waited);
    if (waited > allowed_ns) ++late;
  }
};

}  // namespace comex::pr
