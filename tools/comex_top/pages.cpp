#include "pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "text.h"

namespace comex::top {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Rate& rate) {
  return {{"operations_per_s", rate.operations}, {"bytes_per_s", rate.bytes}};
}

ordered_json json_of(const RankView& view) {
  const Rank& rank = view.last;
  ordered_json out = {{"rank", rank.rank},
                      {"worker", rank.worker},
                      {"role", rank.worker < 0 ? "progress" : "worker"},
                      {"host", rank.host},
                      {"pid", rank.pid},
                      {"state", std::string(1, rank.state)},
                      {"doing", watch::doing(rank)}};
  for (unsigned kind = 0; kind < activity::kinds; ++kind) {
    out[kind_names[kind]] = json_of(view.by_kind[kind]);
    out[kind_names[kind]]["count"] = view.total[kind].count;
    out[kind_names[kind]]["bytes"] = view.total[kind].amount;
  }
  out["self"] = json_of(view.self);
  out["same_host"] = json_of(view.same_host);
  out["other_hosts"] = json_of(view.other_hosts);
  if (rank.worker >= 0) {
    out["waiting"] = view.waiting;
    out["outstanding"] = rank.outstanding;
    for (unsigned waiting = 0; waiting < activity::waitings; ++waiting) {
      out["waits"][waiting_names[waiting]] = {
          {"count", rank.waits[waiting].count},
          {"seconds", static_cast<double>(rank.waits[waiting].amount) / 1e9}};
    }
    if (!rank.wait.is_none()) {
      out["wait"] = {{"call", rank.wait.name()},   {"seconds", rank.wait.seconds},
                     {"target", rank.wait.target}, {"server", rank.wait.server},
                     {"group", rank.wait.group},   {"rank", rank.wait.rank}};
    }
  }
  if (rank.worker < 0) {
    out["requests_per_s"] = view.requests;
    out["requests"] = rank.requests;
    out["refused"] = rank.refused;
    out["queued"] = rank.queued;
    out["queued_peak"] = rank.queued_peak;
    out["busy"] = view.busy;
    out["service_us"] = view.service_us;
  }
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : text)
    out += letter == '<' ? "&lt;" : letter == '&' ? "&amp;" : std::string(1, letter);
  return out;
}

// Opacity 0.1 to 0.75 by the logarithm of the bytes, over a factor of at least 8, so that equal values look
// equal; 0.75 keeps figures readable on light and dark pages.
class Heat {
 public:
  explicit Heat(const Matrix& matrix) {
    for (const auto& row : matrix.bytes) {
      for (const double bytes : row) most_ = std::max(most_, bytes);
    }
    least_ = most_ / 8;
    for (const auto& row : matrix.bytes) {
      for (const double bytes : row) least_ = bytes > 0 ? std::min(least_, bytes) : least_;
    }
  }
  double of(double bytes) const {
    return bytes <= 0 ? 0 : 0.1 + 0.65 * std::log(bytes / least_) / std::log(most_ / least_);
  }

 private:
  double most_ = 1;
  double least_ = 1;
};

std::string heat_map(const Matrix& matrix) {
  const Heat heat(matrix);
  std::string out = "<table class=\"map\"><tr><th>from \\ to</th>";
  for (const std::string& to : matrix.to) out += fmt::format("<th>{}</th>", to);
  out += "</tr>";
  for (std::size_t from = 0; from < matrix.from.size(); ++from) {
    out += fmt::format("<tr><th>{}</th>", matrix.from[from]);
    for (std::size_t to = 0; to < matrix.to.size(); ++to) {
      const double bytes = matrix.bytes[from][to];
      if (std::isnan(bytes)) {
        out += fmt::format("<td title=\"{} to {}: see its host\">-</td>", matrix.from[from], matrix.to[to]);
        continue;
      }
      out += fmt::format("<td style=\"background:rgba(214,96,32,{:.2f})\" title=\"{} to {}: {} B\">{}</td>",
                         heat.of(bytes), matrix.from[from], matrix.to[to], static_cast<std::uint64_t>(bytes),
                         bytes > 0 ? bytes_text(bytes) : "");
    }
    out += "</tr>";
  }
  return out + "</table>";
}

std::string curve(const char* title, const std::vector<Moment>& moments, double Moment::*value,
                  std::string (*text)(double)) {
  constexpr double width = 520, height = 120;
  double most = 0;
  for (const Moment& moment : moments) most = std::max(most, moment.*value);
  const double last = std::max(1e-9, moments.back().seconds);
  std::string points;
  for (const Moment& moment : moments) {
    points += fmt::format("{:.1f},{:.1f} ", width * moment.seconds / last,
                          most > 0 ? height - (height - 8) * (moment.*value) / most : height);
  }
  return fmt::format(
      "<figure><figcaption>{}: at most {}</figcaption><svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">"
      "<polyline points=\"{}\" fill=\"none\" stroke=\"#d66020\" stroke-width=\"2\"/></svg></figure>",
      title, text(most), width, height, title, points);
}

std::string percent_text(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

constexpr const char* style =
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2em "
    "auto;max-width:72em;padding:0 "
    "1em;color:#222;background:#fff}"
    "pre{overflow-x:auto;background:#f4f4f2;padding:1em;font-size:13px}table.map{border-collapse:collapse}"
    ".map td,.map th{padding:.2em .5em;text-align:right;font-size:13px;border:1px solid "
    "#ddd}figure{display:inline-block;"
    "margin:0 1em 1em 0;width:min(100%,34em)}svg{width:100%;background:#f4f4f2}.wide{overflow-x:auto}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}pre,svg{background:#262626}"
    ".map td,.map th{border-color:#444}}";

}  // namespace

Moment moment_of(const JobView& view, double began) {
  Moment moment;
  moment.seconds = view.last.taken_at - began;
  double workers = 0;
  double servers = 0;
  for (const RankView& rank : view.ranks) {
    for (const Rate& rate : rank.by_kind) {
      moment.operations += rate.operations;
      moment.bytes += rate.bytes;
    }
    (rank.last.worker < 0 ? moment.busy : moment.waiting) += rank.last.worker < 0 ? rank.busy : rank.waiting;
    (rank.last.worker < 0 ? servers : workers) += 1;
  }
  moment.waiting /= std::max(1.0, workers);
  moment.busy /= std::max(1.0, servers);
  return moment;
}

std::string json_of(const JobView& view, const Matrix& matrix) {
  ordered_json out = {{"job", name_of(view.last)}, {"world", view.last.world}, {"seconds", view.seconds}};
  for (const RankView& rank : view.ranks) out["ranks"].push_back(json_of(rank));
  for (const Host& host : view.last.hosts) {
    ordered_json told = {{"host", host.number},
                         {"arena_bytes_used", host.used_bytes},
                         {"arena_bytes_reserved", host.reserved_bytes}};
    for (const Owner& owner : host.owners)
      told["owners"].push_back({{"worker", owner.worker}, {"bytes", owner.bytes}, {"blocks", owner.blocks}});
    out["hosts"].push_back(told);
  }
  out["matrix"] = {{"from", matrix.from}, {"to", matrix.to}, {"bytes", matrix.bytes}};
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";  // bytes may be anything
}

std::string html_of(const JobView& view, const Matrix& matrix, const std::vector<Moment>& moments) {
  constexpr std::size_t any_width = 400;
  std::string lines;
  for (const std::string& line : lines_of(view, matrix, any_width)) {
    if (line.starts_with("bytes from worker")) break;  // the heat map shows it
    lines += escaped(line) + "\n";
  }
  std::string out = fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>job {}</title><style>{}</style></head><body><h1>Job {}</h1><pre>{}</pre><h2>Bytes from worker "
      "to worker</h2>"
      "<div class=\"wide\">{}</div>",
      name_of(view.last), style, name_of(view.last), lines, heat_map(matrix));
  if (moments.size() > 1) {
    out += "<h2>While it was watched</h2>";
    out += curve("operations a second", moments, &Moment::operations, amount_text);
    out += curve("bytes a second", moments, &Moment::bytes, bytes_text);
    out += curve("workers' time in waits", moments, &Moment::waiting, percent_text);
    out += curve("progress ranks busy", moments, &Moment::busy, percent_text);
  }
  return out + "</body></html>\n";
}

}  // namespace comex::top
