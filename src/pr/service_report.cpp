#include "pr/service_report.h"

#include <algorithm>
#include <cstdio>

namespace comex::pr {
namespace {

constexpr double most_busy = 0.5;

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

double busy_share(const ServiceTotals& service) {
  return share(static_cast<double>(service.busy_ns), static_cast<double>(service.total_ns));
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string microseconds(double ns) {
  return rounded(ns * 1e-3) + " us";
}

std::string push_text(const PushCounters& pushed) {
  if (pushed.batches == 0) return "";
  return "; batches sent for computing workers: " + std::to_string(pushed.batches) + ", after " +
         microseconds(share(static_cast<double>(pushed.waited_ns), static_cast<double>(pushed.batches))) +
         " on average, " + microseconds(static_cast<double>(pushed.longest_ns)) + " at most, " +
         std::to_string(pushed.late) + " later than " + microseconds(static_cast<double>(pushed.allowed_ns));
}

}  // namespace

std::uint32_t suggested_progress_ranks(const ServiceTotals& service) {
  const double most = std::max(1u, service.ranks / 2);
  const double wanted = std::clamp(service.progress_ranks * busy_share(service) / most_busy, 1.0, most);
  // Not std::ceil, for which a C client of libcomex.a would have to name -lm.
  const auto whole = static_cast<std::uint32_t>(wanted);
  return whole < wanted ? whole + 1 : whole;
}

std::string service_text(const ServiceTotals& service) {
  const ServerCounters& counters = service.counters;
  const auto requests = static_cast<double>(counters.requests);
  const std::uint32_t suggested = suggested_progress_ranks(service);
  std::string text = "served " + std::to_string(counters.requests) + " requests in " +
                     rounded(static_cast<double>(service.total_ns) * 1e-9) + " s, busy for " +
                     rounded(100 * busy_share(service)) + " % of it, " +
                     rounded(share(static_cast<double>(service.busy_ns) * 1e-3, requests)) + " us each";
  text += "; queue depth " +
          rounded(share(static_cast<double>(counters.queued_met), static_cast<double>(counters.credited))) +
          " on average, at most " + std::to_string(counters.queued_peak) + " of " +
          std::to_string(counters.queue_bound);
  if (counters.batches != 0) {
    text += "; " + std::to_string(counters.batch_items) + " small operations came in " +
            std::to_string(counters.batches) + (counters.batches == 1 ? " message" : " messages");
  }
  text += push_text(service.pushed);
  text += "; this load suggests " + std::to_string(suggested) + " progress rank" +
          (suggested == 1 ? "" : "s") + " on its host, which has " + std::to_string(service.progress_ranks);
  return text;
}

}  // namespace comex::pr
