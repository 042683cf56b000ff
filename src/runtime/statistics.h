// COMEX_STATS: what the whole job has done, as one table or as JSON, printed once at finalize.
//
// Each host adds up the blocks of its ranks (core/activity), the workers merge these sums, and worker 0
// prints. Totals, texts and suggestions are pure; report_statistics is the one that reads and prints.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/activity.h"
#include "core/settings.h"

namespace comex::runtime {

class Runtime;

// Where the memory was that operations touched.
enum class Locality : std::uint8_t { self, same_host, other_host, other_world };
inline constexpr unsigned localities = 4;

// A figure over the ranks: its sum, and who had least and most of it.
struct Spread {
  std::uint64_t ranks = 0;
  std::uint64_t sum = 0;
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  std::int64_t least_rank = -1;
  std::int64_t most_rank = -1;

  void add(std::int64_t rank, std::uint64_t value) { merge({1, value, value, value, rank, rank}); }
  void merge(const Spread& other);
  double mean() const { return ranks == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(ranks); }
};

struct Amount {
  std::uint64_t count = 0;
  std::uint64_t amount = 0;
  void merge(const Amount& other) {
    count += other.count;
    amount += other.amount;
  }
};

struct JobTotals {
  std::uint64_t hosts = 0;
  std::uint64_t oversubscribed_hosts = 0;  // of machines with more ranks than cores
  std::uint64_t longest_ns = 0;            // that a rank has been open
  std::array<std::array<Amount, localities>, activity::kinds> operations{};
  std::array<std::array<std::uint64_t, activity::size_classes>, activity::kinds> sizes{};
  std::array<Amount, activity::waitings> waits{};
  // Of the workers, by worker number.
  Spread bytes;
  Spread waited_ns;
  // Of the progress ranks, by MPI rank.
  Spread busy_percent;
  Spread requests;
  std::uint64_t queued_peak = 0;

  void merge(const JobTotals& other);
  Amount of_locality(Locality locality) const;
};

// Adds the block of one rank and its rows.
void add_rank(JobTotals& totals, const activity::Block& block, const activity::Peer* peers,
              std::uint64_t now_ns);

struct Suggestion {
  std::string setting;  // NAME=VALUE
  std::string reason;
};
// At most three, the most promising first.
std::vector<Suggestion> suggestions(const JobTotals& totals, const Settings& settings);

std::string statistics_text(const JobTotals& totals, const Settings& settings);
std::string statistics_json(const JobTotals& totals, const Settings& settings);

inline bool counts_statistics(const Settings& settings) {
  return !settings.stats.empty() && settings.stats != "0";
}

// Collective over the workers, when all is complete and before the servers are left.
void report_statistics(Runtime& runtime);

}  // namespace comex::runtime
