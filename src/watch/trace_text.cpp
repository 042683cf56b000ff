#include "watch/trace_text.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "core/verb_name.h"

namespace comex::watch {
namespace {

using protocol::verb_name;
using trace::Event;
using trace::What;

std::string microseconds(std::uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(ns / 1000),
                static_cast<unsigned long long>(ns % 1000));
  return text;
}

// A name of a machine may be any bytes.
std::string in_json(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c < ' ' || c > '~' || c == '"' || c == '\\'; }, '?');
  return name;
}

// Extends 16-bit sequence numbers, which wrap; events come in order of time.
class WholeNumbers {
 public:
  std::int64_t of(std::int32_t peer, std::uint16_t wrapped) {
    std::int64_t& last = last_[peer];
    last += static_cast<std::int16_t>(wrapped - static_cast<std::uint16_t>(last));
    return last;
  }

 private:
  std::map<std::int32_t, std::int64_t> last_;
};

class Writer {
 public:
  Writer(std::ostream& out, const TracedRank& traced) : out_(out), traced_(traced) {}

  void names() {
    out_ << R"({"ph":"M","name":"process_name","pid":)" << traced_.host << R"(,"args":{"name":"host )"
         << traced_.host << " " << in_json(traced_.host_name) << "\"}},\n";
    const bool is_worker = traced_.worker >= 0;
    out_ << R"({"ph":"M","name":"thread_name")" << track() << R"(,"args":{"name":")"
         << (is_worker ? "worker " + std::to_string(traced_.worker) : std::string("progress rank"))
         << " (rank " << traced_.rank << ")\"}},\n";
    if (traced_.lost == 0) return;
    out_ << R"({"ph":"M","name":"thread_labels")" << track() << R"(,"args":{"labels":")" << traced_.lost
         << " later events are not here (COMEX_TRACE_EVENTS)\"}},\n";
  }

  void write(const Event& event) {
    const std::uint64_t begin = shifted(event.begin_ns);
    const std::uint64_t end = std::max(begin, shifted(event.end_ns));
    slice(name_of(event), begin, end, arguments_of(event));
    if (event.what == What::sent) arrow("s", traced_.rank, event.peer, event, begin);
    if (event.what == What::served) arrow("f", event.peer, traced_.rank, event, begin);
  }

 private:
  std::string track() const {
    return ",\"pid\":" + std::to_string(traced_.host) + ",\"tid\":" + std::to_string(traced_.rank);
  }
  std::uint64_t shifted(std::uint64_t ns) const {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(ns) + traced_.shift_ns);
  }

  static std::string name_of(const Event& event) {
    if (event.what == What::sent) return std::string("send ") + verb_name(event.verb);
    if (event.what == What::served) return std::string("serve ") + verb_name(event.verb);
    return event.what == What::wait ? std::string("wait in ") + event.name : event.name;
  }

  std::string peer_of(const Event& event) const {
    const auto row = static_cast<std::size_t>(event.peer);
    const std::size_t slots = traced_.worker_of_slot.size();
    if (row < slots) return "worker " + std::to_string(traced_.worker_of_slot[row]);
    if (row < slots + traced_.hosts) return "host " + std::to_string(row - slots);
    return "another world";
  }

  std::string arguments_of(const Event& event) const {
    switch (event.what) {
      case What::operation:
        return R"("to":")" + peer_of(event) + R"(","bytes":)" + std::to_string(event.bytes);
      case What::wait:
        return event.peer < 0 ? "" : R"("for":"worker )" + std::to_string(event.peer) + "\"";
      case What::sent:
        return R"("to":"rank )" + std::to_string(event.peer) + "\"";
      case What::served:
        return R"("from":"rank )" + std::to_string(event.peer) + R"(","bytes":)" +
               std::to_string(event.bytes);
    }
    return {};
  }

  void slice(const std::string& name, std::uint64_t begin, std::uint64_t end, const std::string& arguments) {
    while (!open_until_.empty() && open_until_.back() <= begin) open_until_.pop_back();
    const bool nests = open_until_.empty() || end <= open_until_.back();
    const std::string rest = track() + ",\"args\":{" + arguments + "}},\n";
    if (nests) {
      open_until_.push_back(end);
      out_ << R"({"ph":"X","cat":"comex","name":")" << name << R"(","ts":)" << microseconds(begin)
           << ",\"dur\":" << microseconds(end - begin) << rest;
      return;
    }
    const std::string id = std::to_string(traced_.rank) + "-" + std::to_string(++beside_);
    for (const auto& [phase, at] : {std::pair("b", begin), std::pair("e", end)}) {
      out_ << R"({"ph":")" << phase << R"(","cat":"beside","name":")" << name << R"(","id":")" << id
           << R"(","ts":)" << microseconds(at) << rest;
    }
  }

  void arrow(const char* phase, std::int32_t origin, std::int32_t server, const Event& event,
             std::uint64_t at) {
    out_ << R"({"ph":")" << phase << R"(","bp":"e","cat":"request","name":"request","id":")" << origin << "-"
         << server << "-" << (origin == traced_.rank ? sent_ : served_).of(event.peer, event.sequence)
         << R"(","ts":)" << microseconds(at) << track() << "},\n";
  }

  std::ostream& out_;
  const TracedRank& traced_;
  WholeNumbers sent_;                      // by this rank, which each server counts
  WholeNumbers served_;                    // by this rank, for each origin
  std::vector<std::uint64_t> open_until_;  // ends of the slices that are open, the innermost last
  std::uint64_t beside_ = 0;
};

}  // namespace

const char* const trace_head = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
const char* const trace_end = "{\"ph\":\"M\",\"name\":\"comex_trace_end\",\"pid\":0,\"args\":{}}\n]}\n";

void write_events(std::ostream& out, std::span<Event> events, const TracedRank& traced) {
  std::ranges::stable_sort(events, [](const Event& a, const Event& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  Writer writer(out, traced);
  writer.names();
  for (const Event& event : events) writer.write(event);
}

}  // namespace comex::watch
