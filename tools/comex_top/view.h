// What is shown of a job: rates between two snapshots, and what each rank is in. Pure.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "snapshot.h"

namespace comex::top {

inline constexpr std::array<const char*, activity::kinds> kind_names = {"put", "get", "acc", "rmw"};
inline constexpr std::array<const char*, activity::waitings> waiting_names = {
    "data", "fence", "mutex", "members", "word", "message", "other"};

struct Rate {
  double operations = 0;  // a second
  double bytes = 0;       // a second
};

struct RankView {
  Rank last;
  std::array<Count, activity::kinds> total{};  // since the start
  std::array<Rate, activity::kinds> by_kind{};
  Rate self, same_host, other_hosts;  // other worlds are among the last
  double waiting = 0;                 // share of the time in waits that lasted
  // Of a progress rank.
  double requests = 0;    // a second
  double busy = 0;        // share of the time
  double service_us = 0;  // a request
};

// What goes to another host is counted for the host, not for its workers.
inline constexpr double unknown_bytes = std::numeric_limits<double>::quiet_NaN();

// From whom to whom, in bytes since the start: workers of these hosts, then all of a host.
struct Matrix {
  std::vector<std::string> from;
  std::vector<std::string> to;
  std::vector<std::vector<double>> bytes;
};

struct JobView {
  Job last;
  double seconds = 0;  // between the snapshots; 0: rates are means since the start
  std::vector<RankView> ranks;
};

JobView compare(const Job* before, const Job& now);
Matrix matrix_of(const Job& job);

}  // namespace comex::top
