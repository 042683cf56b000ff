// Reports what a progress rank has served, and suggests how many progress ranks its host should have.
//
// Server and pusher own plain counters. ServiceMeter adds up the time of the rounds in which something moved:
// of all rounds, or of one in 16, whose time then counts sixteenfold. The other functions are pure. The owner
// of a server uses them for the line at the end of a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "shm/os.h"

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

class ServiceMeter {
 public:
  ServiceMeter(shm::Os& os, bool all_rounds) : os_(os), every_(all_rounds ? 1 : 16), since_ns_(os.now_ns()) {}

  void begin_round() {
    is_measured_ = rounds_++ % every_ == 0;
    if (is_measured_) round_ns_ = os_.now_ns();
  }
  void end_round(bool has_worked) {
    if (is_measured_ && has_worked) busy_ns_ += (os_.now_ns() - round_ns_) * every_;
  }
  std::uint64_t busy_ns() const { return busy_ns_; }
  std::uint64_t total_ns() const { return os_.now_ns() - since_ns_; }

 private:
  shm::Os& os_;
  unsigned every_;
  unsigned rounds_ = 0;
  bool is_measured_ = false;
  std::uint64_t since_ns_;
  std::uint64_t round_ns_ = 0;
  std::uint64_t busy_ns_ = 0;
};

struct ServiceTotals {
  ServerCounters counters;
  PushCounters pushed;
  std::uint64_t busy_ns = 0;
  std::uint64_t total_ns = 0;
  std::uint32_t progress_ranks = 1;  // of its host
  std::uint32_t ranks = 2;           // of its host, all
};

// Returns the number with which each progress rank would be busy for at most half of the time, if all are as
// busy as this one: requests wait no longer than they are served. At least half of the ranks stay workers.
std::uint32_t suggested_progress_ranks(const ServiceTotals& service);

// "served 120 requests, ..."
std::string service_text(const ServiceTotals& service);

}  // namespace comex::pr
