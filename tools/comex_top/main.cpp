// comex_top: a live view of the jobs on this machine.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <thread>

#include "ask.h"
#include "core/status.h"
#include "pages.h"
#include "screen.h"
#include "text.h"
#include "view.h"
#include "watch/why.h"

namespace comex::top {
namespace {

struct Options {
  std::string job;
  double interval = 1;
  double seconds = 0;  // 0: until the user or the job ends it
  bool once = false;
  bool json = false;
  bool list = false;
  bool why = false;
  std::string html;
};

constexpr const char* no_job = "no job runs on this machine that this user may read";

std::string program_of(std::int32_t pid) {
  std::ifstream file(fmt::format("/proc/{}/comm", pid));
  std::string name;
  return std::getline(file, name) ? name : "?";
}

std::string list_of(const std::vector<Job>& jobs) {
  std::string text;
  for (const Job& job : jobs) {
    std::size_t ranks = 0;
    for (const Host& host : job.hosts) ranks += host.ranks.size();
    const std::int32_t first = job.hosts.front().ranks.front().pid;
    text += fmt::format("{}  world {}, {} ranks of {}, first process {}\n", name_of(job), job.world, ranks,
                        program_of(first), first);
  }
  return text;
}

// The job that was asked for, or the only one.
Result<Job> find(const std::string& name) {
  std::vector<Job> jobs = find_jobs();
  for (Job& job : jobs)
    if (name_of(job) == name || (name.empty() && jobs.size() == 1)) return std::move(job);
  if (jobs.empty()) return caller_error(no_job);
  if (name.empty()) return caller_error("several jobs run here: name one by --job\n" + list_of(jobs));
  return caller_error("there is no job " + name + "; there are\n" + list_of(jobs));
}

int fail(const std::string& problem) {
  std::cerr << "comex_top: " << problem << (problem.ends_with('\n') ? "" : "\n");
  return 1;
}

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

int show_once(const Options& options, const Job& first) {
  const bool is_since_start = options.interval <= 0;
  sleep_for(options.interval);
  const Result<Job> later = is_since_start ? first : find(name_of(first));
  if (!later) return fail("the job has ended");
  const JobView view = compare(is_since_start ? nullptr : &first, later.value());
  const Matrix matrix = matrix_of(later.value());
  if (options.json) {
    std::cout << json_of(view, matrix);
  } else {
    constexpr std::size_t width = 200;
    for (const std::string& line : lines_of(view, matrix, width)) std::cout << line << "\n";
  }
  return 0;
}

int write_page(const std::string& path, const JobView& view, const std::vector<Moment>& moments) {
  std::ofstream file(path);
  file << html_of(view, matrix_of(view.last), moments);
  return file.flush() ? 0 : fail(path + " cannot be written: " + std::strerror(errno));
}

// Until the user asks to stop, the time is over, or the job has ended.
int watch(const Options& options, Job last) {
  const double began = last.taken_at;
  const std::string name = name_of(last);
  std::optional<Screen> screen;
  const bool owns_terminal = isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDOUT_FILENO) == getpgrp();
  if (options.html.empty() || owns_terminal) screen.emplace();
  JobView view = compare(nullptr, last);
  std::vector<Moment> moments;
  for (;;) {
    const double left = options.seconds > 0 ? began + options.seconds - last.taken_at : options.interval;
    const double pause = std::min(options.interval, left);
    if (screen) {
      screen->show(lines_of(view, matrix_of(last), screen->width()));
      if (screen->wait_for_end(pause)) break;
    } else {
      sleep_for(pause);
    }
    Result<Job> found = find(name);
    if (!found) break;
    view = compare(&last, found.value());
    last = std::move(found).value();
    moments.push_back(moment_of(view, began));
    if (options.seconds > 0 && last.taken_at - began >= options.seconds) break;
  }
  screen.reset();
  return options.html.empty() ? 0 : write_page(options.html, view, moments);
}

// Of the whole job where a progress rank tells it, else of this machine.
watch::JobState whole_state_of(const Job& job) {
  if (is_whole(job)) return state_of_job(job);
  return ask_whole_job(job).value_or(state_of_job(job));
}

// Twice, since what has moved meanwhile does not hang.
int explain_hang(const Options& options, const Job& first) {
  const watch::JobState before = whole_state_of(first);
  sleep_for(options.interval);
  const Result<Job> later = find(name_of(first));
  if (!later) return fail("the job has ended");
  const watch::JobState now = whole_state_of(later.value());
  for (const std::string& line : watch::describe(now)) std::cout << line << "\n";
  std::cout << "\n" << watch::explain(&before, now).verdict << "\n";
  return 0;
}

int run(const Options& options) {
  if (options.list) {
    const std::vector<Job> jobs = find_jobs();
    if (jobs.empty()) std::cerr << "comex_top: " << no_job << "\n";  // beside the list, which programs read
    std::cout << list_of(jobs);
    return 0;
  }
  Result<Job> found = find(options.job);
  if (!found) return fail(found.failure().text);
  if (options.once || options.json) return show_once(options, found.value());
  if (options.interval <= 0) return fail("--interval 0 is for --once and --json");
  if (options.why) return explain_hang(options, found.value());
  if (options.html.empty() && (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0))
    return fail("this is no terminal: ask for --once, --json or --html FILE");
  if (!options.html.empty() && !std::ofstream(options.html, std::ios::app))  // not after hours of watching
    return fail(options.html + " cannot be written: " + std::strerror(errno));
  return watch(options, std::move(found).value());
}

}  // namespace
}  // namespace comex::top

int main(int argc, char** argv) {
  comex::top::Options options;
  CLI::App app{
      "Shows what the ranks of a job on this machine are doing: operations and bytes a second by kind and by "
      "where the memory "
      "is, waits, queues of progress ranks, use of memory, and who talks to whom. Works on a job that hangs "
      "or is stopped. "
      "Another user's jobs are not readable. On the screen q ends it.",
      "comex_top"};
  // A range lets NaN pass.
  const CLI::Validator a_number(
      [](const std::string& text) {
        return text.find_first_of("nN") == text.npos ? "" : text + " is no number";
      },
      "NUMBER");
  app.set_version_flag("--version", "comex " COMEX_VERSION);
  app.add_option("--job", options.job, "The job by its name, as --list shows it; else the only one");
  CLI::Option* const list = app.add_flag("--list", options.list, "Name the jobs");
  app.add_option("--interval", options.interval,
                 "Seconds between two looks (1); with --once 0: means since the start")
      ->check(CLI::Range(0.0, 3600.0))
      ->check(a_number);
  app.add_option("--seconds", options.seconds, "End after so long")
      ->check(CLI::NonNegativeNumber)
      ->check(a_number);
  CLI::Option* const once = app.add_flag("--once", options.once, "Print one view and end");
  CLI::Option* const json = app.add_flag("--json", options.json, "The same as JSON");
  CLI::Option* const why =
      app.add_flag("--why", options.why, "Say who waits for whom, and why nothing goes on");
  CLI::Option* const html =
      app.add_option("--html", options.html,
                     "Watch until q, --seconds or the job's end, then write a page: matrix and curves");
  list->excludes(once, json, why, html);
  why->excludes(once, json, html);
  html->excludes(once, json);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {  // --help, --version
    return app.exit(answer);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "comex_top: {}\n", error.what());
    return 2;
  }
  const int status = comex::top::run(options);
  if (std::cout.flush()) return status;
  fmt::print(stderr, "comex_top: cannot be printed: {}\n", std::strerror(errno));
  return 1;
}
