// The texts of runtime/statistics: the table, the JSON, and what settings are worth trying.
#include <array>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "runtime/statistics.h"

namespace comex::runtime {
namespace {

using activity::kind_names;
constexpr std::array<const char*, localities> locality_names = {"own memory", "same host", "other hosts",
                                                                "other worlds"};
constexpr std::array<const char*, localities> locality_keys = {"self", "same_host", "other_hosts",
                                                               "other_worlds"};
constexpr std::array<const char*, activity::waitings> waiting_names = {
    "data of operations", "fences",           "mutexes",      "other members",
    "words (wait_until)", "messages (ARMCI)", "other reasons"};
constexpr std::array<const char*, activity::waitings> waiting_keys = {"data", "fence",   "mutex", "members",
                                                                      "word", "message", "other"};

[[gnu::format(printf, 1, 2)]] std::string format(const char* form, ...) {
  std::array<char, 256> line{};
  std::va_list arguments;
  va_start(arguments, form);
  const int length = std::vsnprintf(line.data(), line.size(), form, arguments);
  va_end(arguments);
  return {line.data(), static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(line.size()) - 1))};
}

// Six digits behind a point, whatever the program's locale is. Not negative.
std::string decimal(double value) {
  auto whole = static_cast<unsigned long long>(value);
  const auto halves = static_cast<unsigned long long>((value - static_cast<double>(whole)) * 2e6);
  auto millionths = (halves + 1) / 2;
  whole += millionths / 1'000'000;
  millionths %= 1'000'000;
  return format("%llu.%06llu", whole, millionths);
}

std::string amount_text(double value, std::array<const char*, 5> units, double step) {
  std::size_t unit = 0;
  while (value >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  return format(value < 10 && unit > 0 ? "%.2f %s" : "%.0f %s", value, units[unit]);
}
std::string bytes_text(double bytes) {
  return amount_text(bytes, {"B", "KiB", "MiB", "GiB", "TiB"}, 1024);
}
std::string time_text(double ns) {
  if (ns >= 1e9) return format("%.2f s", ns / 1e9);
  return amount_text(ns, {"ns", "us", "ms", "s", "s"}, 1000);
}
std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}
std::string size_text(unsigned size_class) {
  if (size_class + 1 == activity::size_classes) return "more";
  return bytes_text(static_cast<double>(std::uint64_t{1} << (2 * size_class)));
}

std::string operation_lines(const JobTotals& totals) {
  std::string out = format("%-14s", "operations");
  for (const char* locality : locality_names) out += format(" %26s", locality);
  out += "\n";
  for (unsigned kind = 0; kind < activity::kinds; ++kind) {
    out += format("  %-12s", kind_names[kind]);
    for (const Amount& amount : totals.operations[kind]) {
      out += format(" %14s %11s", count_text(amount.count).c_str(),
                    bytes_text(static_cast<double>(amount.amount)).c_str());
    }
    out += "\n";
  }
  return out;
}

std::string size_lines(const JobTotals& totals) {
  std::string out = format("%-14s", "sizes up to");
  for (const char* kind : kind_names) out += format(" %14s", kind);
  out += "\n";
  for (unsigned size = 0; size < activity::size_classes; ++size) {
    std::uint64_t all = 0;
    for (const auto& kind : totals.sizes) all += kind[size];
    if (all == 0) continue;
    out += format("  %-12s", size_text(size).c_str());
    for (const auto& kind : totals.sizes) out += format(" %14s", count_text(kind[size]).c_str());
    out += "\n";
  }
  return out;
}

double time_of_workers(const JobTotals& totals) {
  return static_cast<double>(totals.longest_ns) * static_cast<double>(totals.waited_ns.ranks);
}

std::string wait_lines(const JobTotals& totals) {
  const double all_ns = time_of_workers(totals);
  std::string out = "waits for\n";
  for (unsigned waiting = 0; waiting < activity::waitings; ++waiting) {
    const Amount& wait = totals.waits[waiting];
    if (wait.count == 0) continue;
    const double ns = static_cast<double>(wait.amount);
    out += format("  %-22s %14s waits %10s, %5.1f %% of all workers' time\n", waiting_names[waiting],
                  count_text(wait.count).c_str(), time_text(ns).c_str(), all_ns > 0 ? 100 * ns / all_ns : 0);
  }
  return out;
}

template <class Text>
std::string spread_line(const char* what, const Spread& spread, const char* who, const Text& text) {
  if (spread.ranks == 0) return "";
  return format("  %-22s mean %10s, least %10s (%s %" PRId64 "), most %10s (%s %" PRId64 ")\n", what,
                text(spread.mean()).c_str(), text(static_cast<double>(spread.least)).c_str(), who,
                spread.least_rank, text(static_cast<double>(spread.most)).c_str(), who, spread.most_rank);
}

std::string balance_lines(const JobTotals& totals) {
  const auto percent = [](double value) { return format("%.0f %%", value); };
  const auto count = [](double value) { return count_text(static_cast<std::uint64_t>(value)); };
  std::string out = "balance\n";
  out += spread_line("bytes of a worker", totals.bytes, "worker", bytes_text);
  out += spread_line("waits of a worker", totals.waited_ns, "worker", time_text);
  out += spread_line("progress rank busy", totals.busy_percent, "rank", percent);
  out += spread_line("requests it served", totals.requests, "rank", count);
  return out;
}

std::string json_amounts(const std::array<Amount, localities>& amounts) {
  std::string out;
  for (unsigned locality = 0; locality < localities; ++locality) {
    out += format("%s\"%s\": {\"count\": %" PRIu64 ", \"bytes\": %" PRIu64 "}", locality == 0 ? "" : ", ",
                  locality_keys[locality], amounts[locality].count, amounts[locality].amount);
  }
  return "{" + out + "}";
}

std::string json_spread(const Spread& spread) {
  if (spread.ranks == 0) return "null";
  return format("{\"mean\": %s, \"least\": %" PRIu64 ", \"least_rank\": %" PRId64 ", \"most\": %" PRIu64
                ", \"most_rank\": %" PRId64 "}",
                decimal(spread.mean()).c_str(), spread.least, spread.least_rank, spread.most,
                spread.most_rank);
}

}  // namespace

std::string statistics_text(const JobTotals& totals, const Settings& settings) {
  std::string out = format("comex: statistics of %" PRIu64 " workers and %" PRIu64
                           " progress ranks on %" PRIu64 " hosts, %s\n",
                           totals.bytes.ranks, totals.requests.ranks, totals.hosts,
                           time_text(static_cast<double>(totals.longest_ns)).c_str());
  out += operation_lines(totals) + size_lines(totals) + wait_lines(totals) + balance_lines(totals);
  const std::vector<Suggestion> worth = suggestions(totals, settings);
  if (!worth.empty()) out += "worth trying\n";
  for (const Suggestion& each : worth) out += "  " + each.setting + ": " + each.reason + "\n";
  return out;
}

std::string statistics_json(const JobTotals& totals, const Settings& settings) {
  std::string out = format("{\n  \"workers\": %" PRIu64 ", \"progress_ranks\": %" PRIu64
                           ", \"hosts\": %" PRIu64 ", \"seconds\": %s",
                           totals.bytes.ranks, totals.requests.ranks, totals.hosts,
                           decimal(static_cast<double>(totals.longest_ns) / 1e9).c_str());
  for (unsigned kind = 0; kind < activity::kinds; ++kind) {
    out += format(",\n  \"%s\": ", kind_names[kind]) + json_amounts(totals.operations[kind]);
    out += format(",\n  \"%s_sizes\": [", kind_names[kind]);
    for (unsigned size = 0; size < activity::size_classes; ++size)
      out += format("%s%" PRIu64, size == 0 ? "" : ", ", totals.sizes[kind][size]);
    out += "]";
  }
  out += ",\n  \"waits\": {";
  for (unsigned waiting = 0; waiting < activity::waitings; ++waiting) {
    out += format("%s\"%s\": {\"count\": %" PRIu64 ", \"seconds\": %s}", waiting == 0 ? "" : ", ",
                  waiting_keys[waiting], totals.waits[waiting].count,
                  decimal(static_cast<double>(totals.waits[waiting].amount) / 1e9).c_str());
  }
  out += "},\n  \"bytes_of_workers\": " + json_spread(totals.bytes);
  out += ",\n  \"waited_ns_of_workers\": " + json_spread(totals.waited_ns);
  out += ",\n  \"busy_percent_of_progress_ranks\": " + json_spread(totals.busy_percent);
  out += ",\n  \"requests_of_progress_ranks\": " + json_spread(totals.requests);
  out += format(",\n  \"queued_peak\": %" PRIu64 ",\n  \"worth_trying\": [", totals.queued_peak);
  const char* separator = "";
  for (const Suggestion& each : suggestions(totals, settings)) {
    out += separator + ("{\"setting\": \"" + each.setting + "\", \"reason\": \"" + each.reason + "\"}");
    separator = ", ";
  }
  return out + "]\n}\n";
}

namespace {

double share_of(const JobTotals& totals, activity::Waiting waiting) {
  const double all = time_of_workers(totals);
  return all > 0 ? static_cast<double>(totals.waits[static_cast<std::size_t>(waiting)].amount) / all : 0;
}

void suggest_progress_ranks(const JobTotals& totals, std::uint64_t far, const Settings& settings,
                            std::vector<Suggestion>& found) {
  const std::string name = "GA_NUM_PROGRESS_RANKS_PER_NODE=";
  // A host of one rank has no progress rank.
  const std::uint64_t each =
      totals.hosts == 0 ? 0 : (totals.requests.ranks + totals.hosts - 1) / totals.hosts;
  if (each != 0 && totals.busy_percent.most >= 50 && totals.oversubscribed_hosts == 0) {
    found.push_back({name + std::to_string(2 * each),
                     format("progress rank %" PRId64 " was busy for %" PRIu64
                            " %% of the time, and requests waited up to %" PRIu64 " deep",
                            totals.busy_percent.most_rank, totals.busy_percent.most, totals.queued_peak)});
  } else if (each != 0 && far == 0 && settings.on_failure == OnFailure::abort) {
    found.push_back(
        {name + "0", "no operation left its host, so the progress ranks only take a core from workers"});
  } else if (each == 0 && far != 0 && settings.progress_ranks == 0) {
    found.push_back({name + "1", "workers serve operations of other hosts beside their own work"});
  }
}

}  // namespace

std::vector<Suggestion> suggestions(const JobTotals& totals, const Settings& settings) {
  std::vector<Suggestion> found;
  const std::uint64_t far =
      totals.of_locality(Locality::other_host).count + totals.of_locality(Locality::other_world).count;
  suggest_progress_ranks(totals, far, settings, found);
  const double on_data =
      share_of(totals, activity::Waiting::data) + share_of(totals, activity::Waiting::fence);
  if (totals.oversubscribed_hosts == 0 && settings.bind == BindMode::none) {
    found.push_back({"COMEX_BIND=all", "each rank can have cores of its own"});
  }
  if (far != 0 && on_data > 0.1 && settings.nap_max_us > 200 && totals.busy_percent.ranks != 0 &&
      totals.busy_percent.most < 50) {
    found.push_back(
        {"COMEX_NAP_MAX_US=200",
         format("workers waited %.0f %% of their time for servers that were idle most of theirs, and an idle "
                "server naps up to %" PRId64 " us",
                100 * on_data, settings.nap_max_us)});
  }
  if (far != 0 && totals.oversubscribed_hosts != 0 && on_data > 0.1) {
    found.push_back({"fewer workers on each host",
                     "ranks outnumber cores, and a server on a shared core answers a time slice late"});
  }
  if (totals.oversubscribed_hosts == 0 && settings.wait != WaitMode::spin &&
      share_of(totals, activity::Waiting::members) > 0.2) {
    found.push_back(
        {"COMEX_WAIT=spin",
         "workers waited much of their time for each other, and each can have a core of its own"});
  }
  return found;
}

}  // namespace comex::runtime
