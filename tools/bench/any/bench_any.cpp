// bench_any: what one-sided operations cost, on any comex.h, any armci.h, or MPI-3 RMA. One launch measures
// every row once; `comex_bench` alternates such launches. Needs these files, an MPI compiler of C++20 and the
// runtime:
//
//   mpicxx -std=c++20 -O3 -DBENCH_ON_COMEX bench_any.cpp -lcomex -o bench_any
//   mpicxx -std=c++20 -O3 -DBENCH_ON_ARMCI bench_any.cpp -larmci -o bench_any
//   mpicxx -std=c++20 -O3 -DBENCH_ON_RMA   bench_any.cpp         -o bench_any
//   mpirun -np 2 ./bench_any                   (as many ranks more as the runtime takes for itself)
//
// Prints a line a row: `ROW name value unit verified`, or `WRONG` in place of `verified`, or `ROW name - unit
// absent`. Status 1 if any row was wrong. Options: see usage().
#include <mpi.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "contiguous_rows.h"
#include "floor_rows.h"
#include "kernel_rows.h"
#include "lives.h"
#include "meeting_rows.h"
#include "memory_rows.h"
#include "progress_rows.h"
#include "rate_rows.h"
#include "shaped_rows.h"
#include "unattended_rows.h"

namespace bench {
namespace {

struct Command {
  Options options;
  std::vector<std::string>
      names;  // rows that are wanted: whole names, or beginnings that end at a dot; none: all
  std::vector<std::string> without;  // of these, what is not to be measured though it could be
  unsigned sleep_seconds = 0;
  unsigned requests = 0;  // after it
  bool lists = false;
};

void usage() {
  std::puts(
      "bench_any [--rows NAME,...] [--without NAME,...] [--ms MILLISECONDS] [--allocations N] [--places N]\n"
      "          [--seed N] [--workers N] [--first-target N] [--sleep SECONDS [--requests N]] [--list]\n"
      "  --rows          names, or their beginnings up to a dot: put, put.8, lock\n"
      "  --without       likewise: they are told as absent\n"
      "  --ms            the least length of a trial (20); below 5 the large puts of beside_put are smaller\n"
      "  --allocations   live allocations of 8 KiB a worker (1000);  --places  random places of a row "
      "(8192)\n"
      "  --workers       fail unless there are so many;  --first-target  targets are the workers from here "
      "on (1)\n"
      "  --sleep         no rows: all say `worker RANK`, the first says `asleep`, and all sleep\n"
      "  --requests      then the first gets 8 bytes so often, 2 s apart, as a row idle.first_get (0)");
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

template <class Number>
bool read_number(std::string_view text, Number least, Number& into,
                 Number most = std::numeric_limits<Number>::max()) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size() && into >= least && into <= most;
}

bool read_milliseconds(std::string_view text, double& into_ns) {
  double ms = 0;
  if (!read_number(text, 1e-6, ms, 1e6)) return false;
  into_ns = ms * 1e6;
  return true;
}

// Each takes one value; false if it cannot be.
struct Setting {
  const char* name;
  const char* expected;
  bool (*read)(Command& command, const char* value);
};

const Setting settings[] = {
    {"--rows", "names",
     [](Command& c, const char* v) {
       c.names = split(v);
       return !c.names.empty();
     }},
    {"--without", "names",
     [](Command& c, const char* v) {
       c.without = split(v);
       return !c.without.empty();
     }},
    {"--ms", "0.000001 to 1000000",
     [](Command& c, const char* v) { return read_milliseconds(v, c.options.trial_ns); }},
    {"--allocations", "a number of at least 1",
     [](Command& c, const char* v) { return read_number(v, 1, c.options.allocations); }},
    {"--places", "a number of at least 1",
     [](Command& c, const char* v) { return read_number(v, 1, c.options.places); }},
    {"--seed", "a number",
     [](Command& c, const char* v) { return read_number(v, std::uint64_t{0}, c.options.seed); }},
    {"--workers", "a number", [](Command& c, const char* v) { return read_number(v, 0, c.options.workers); }},
    {"--first-target", "a number",
     [](Command& c, const char* v) { return read_number(v, 0, c.options.first_target); }},
    {"--sleep", "whole seconds, at least 1",
     [](Command& c, const char* v) { return read_number(v, 1u, c.sleep_seconds); }},
    {"--requests", "0 to 64",
     [](Command& c, const char* v) { return read_number(v, 0u, c.requests, most_requests); }},
};

// Says on its own what is wrong.
bool read_command(int argc, char** argv, Command& command) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--list") {
      command.lists = true;
      continue;
    }
    const auto* const found = std::find_if(std::begin(settings), std::end(settings),
                                           [&](const Setting& s) { return name == s.name; });
    if (found == std::end(settings) || i + 1 == argc) {
      usage();
      return false;
    }
    if (!found->read(command, argv[++i])) {
      std::fprintf(stderr, "bench_any: %s %s: expected %s\n", found->name, argv[i], found->expected);
      return false;
    }
  }
  if (command.requests != 0 && command.sleep_seconds == 0) {
    std::fprintf(stderr, "bench_any: --requests %u: expected --sleep beside it\n", command.requests);
    return false;
  }
  return true;
}

bool is_named(const std::string& row, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return row == name || (row.starts_with(name) && row[name.size()] == '.');
  });
}

bool is_wanted(const std::string& row, const Command& command) {
  return command.names.empty() || is_named(row, command.names);
}

// Floors of their own last: what a launch measures first, before its processes have settled, is slower over
// the network than the same messages later.
Rows all_rows() {
  Rows rows;
  add_contiguous_rows(rows);
  add_rate_rows(rows);
  add_shaped_rows(rows);
  add_meeting_rows(rows);
  add_memory_rows(rows);
  add_progress_rows(rows);
  add_unattended_rows(rows);
  add_kernel_rows(rows);
  add_floor_rows(rows);
  return rows;
}

void print(const Row& row, const Answer& got) {
  std::printf("ROW %s %.6g %s %s\n", row.name.c_str(), got.value, row.unit,
              got.is_right ? "verified" : "WRONG");
  std::fflush(stdout);
}

// Names may be meant for other programs that are measured besides.
void tell_unknown(const std::vector<std::string>& names, const Rows& rows) {
  for (const std::string& name : names) {
    const auto has_it = [&](const Row& row) { return is_named(row.name, {name}); };
    if (std::none_of(rows.begin(), rows.end(), has_it) && !is_named("init_finalize", {name})) {
      std::fprintf(stderr, "bench_any: --rows %s: no such row here; --list names them\n", name.c_str());
    }
  }
}

bool measure(Runtime& runtime, const Command& command) {
  bool is_right = true;
  Rig rig(runtime, command.options);
  const Rows rows = all_rows();
  if (rig.is_origin()) tell_unknown(command.names, rows);
  for (const Row& row : rows) {
    if (!is_wanted(row.name, command)) continue;
    if (!runtime.can(row.need, rig.target()) || is_named(row.name, command.without)) {
      if (rig.is_origin()) std::printf("ROW %s - %s absent\n", row.name.c_str(), row.unit);
      continue;
    }
    const Answer got = row.run(rig);
    if (rig.is_origin()) print(row, got);
    is_right = is_right && got.is_right;
  }
  return is_right;
}

// Whether so many workers can measure what is asked for.
bool is_possible(const Options& options, int size, bool tells) {
  const bool is_size = options.workers == 0 || size == options.workers;
  const bool has_target = options.first_target < size;
  if (tells && !is_size) std::fprintf(stderr, "bench_any: %d workers instead of %d\n", size, options.workers);
  if (tells && !has_target) {
    std::fprintf(stderr, "bench_any: %d workers, and targets from %d on\n", size, options.first_target);
  }
  return is_size && has_target;
}

// Start and end of the runtime are a row too: one figure a launch. It is right where all workers live and
// reach each other, and end well: one that does not tells by its status.
int run(const Command& command) {
  Runtime runtime;
  const double before = now_ns();
  if (!runtime.start()) return 1;
  const double started = now_ns();
  const Options& options = command.options;
  const int me = runtime.me();
  const int size = runtime.size();
  if (!is_possible(options, size, me == 0)) {
    runtime.finish();
    return 1;
  }
  const bool sleeps = command.sleep_seconds != 0;
  bool is_right =
      sleeps ? sleep_all(runtime, command.sleep_seconds, command.requests) : measure(runtime, command);
  const bool has_start = runtime.can(Need::own_start, size - 1);
  const bool has_lived = !has_start || all_live(runtime);
  runtime.barrier();
  const double ending = now_ns();
  const bool has_ended = runtime.finish();
  const double ended = now_ns();
  const Row row{"init_finalize", "ns", Need::own_start, {}};
  const bool is_told = has_start && is_wanted(row.name, command) && !is_named(row.name, command.without);
  if (me == 0 && !sleeps && is_told) {
    print(row, {started - before + ended - ending, has_lived && has_ended});
  }
  is_right = is_right && has_lived && has_ended;
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Command command;
  if (!bench::read_command(argc, argv, command)) return 2;
  if (command.lists) {
    for (const bench::Row& row : bench::all_rows()) std::printf("%s %s\n", row.name.c_str(), row.unit);
    std::puts("init_finalize ns");
    return 0;
  }
  MPI_Init(&argc, &argv);
  const int status = bench::run(command);
  MPI_Finalize();
  return status;
}
