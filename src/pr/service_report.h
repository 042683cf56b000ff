// Reports what a progress rank has served, and suggests how many progress ranks its host should have.
//
// ServiceMeter adds up the time of the rounds in which something moved: of all rounds, or of one in 16, whose
// time then counts sixteenfold. The other functions are pure. The owner of a server uses them for the line at
// the end of a run.
#pragma once

#include <cstdint>
#include <string>

#include "pr/server_counters.h"
#include "shm/os.h"

namespace comex::pr {

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
