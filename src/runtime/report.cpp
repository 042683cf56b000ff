#include "runtime/report.h"

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "runtime/caller.h"
#include "runtime/communicator.h"
#include "runtime/environment.h"
#include "runtime/facade.h"
#include "runtime/process.h"

namespace comex::runtime {
namespace {

// Uses the program's name of the call, if the line is about an operation.
Context as_called(Context where) {
  if (where.operation != nullptr && comex_call_name != nullptr) where.operation = comex_call_name;
  return where;
}

// Exit handlers of the program may make calls after the thread's objects are gone.
thread_local bool lines_are_gone = false;
struct FailureLines {
  FailureLines() = default;
  FailureLines(const FailureLines&) = delete;
  FailureLines& operator=(const FailureLines&) = delete;
  ~FailureLines() { lines_are_gone = true; }
  std::string latest;  // until it is taken
  std::string taken;
};
thread_local FailureLines failure_lines;

// MPI_Abort is the standard's only way to end a job, and needs MPI.
void start_mpi_to_abort() {
  int started = 0;
  PMPI_Initialized(&started);
  if (started != 0 || mpi_in_use().ends_jobs_before_mpi() || !launched_process().is_launched) return;
  PMPI_Init(nullptr, nullptr);
}

}  // namespace

void Reporter::print(const Identity& who, const Context& where, std::string_view text) {
  print_text(format_line(who, where, text) + "\n");
}

void Reporter::print_text(std::string_view lines) {
  // It is one write, so that lines of several ranks do not mix.
  std::fwrite(lines.data(), 1, lines.size(), stderr);
  std::fflush(stderr);
}

void Reporter::await_reader() {
  using std::chrono::milliseconds;
  constexpr milliseconds least(100);  // for a reader of which nothing is known
  constexpr milliseconds most(3000);
  constexpr milliseconds step(10);
  for (milliseconds waited(0); waited < least || (waited < most && is_stderr_unread()); waited += step)
    std::this_thread::sleep_for(step);
}

void Reporter::end_job(int code) {
  // For codes above 123, a launcher reports a signal or a failure of its own.
  const int shown = code >= 1 && code <= 123 ? code : failure_exit_code;
  // In a forked child, MPI belongs to the parent, whose job goes on.
  if (!process().is_forked_child) {
    start_mpi_to_abort();
    await_reader();
    if (mpi_is_running()) PMPI_Abort(MPI_COMM_WORLD, shown);
  }
  std::_Exit(shown);
}

Identity Reporter::caller() const {
  Identity who = who_;
  if (const Requester by = runtime::caller(run_)) who.endpoint = static_cast<int>(by.rank);
  return who;
}

int Reporter::fail(const Context& where, std::string_view text) const {
  const std::string line = format_line(caller(), as_called(where), text);
  print_text(line + "\n");
  if (!returns()) end_job(failure_exit_code);
  if (!lines_are_gone) failure_lines.latest = line;
  return 1;
}

const char* Reporter::take_failure_line() {
  if (lines_are_gone) return "";
  failure_lines.taken = std::exchange(failure_lines.latest, {});
  return failure_lines.taken.c_str();
}

void Reporter::drop_failure_line() {
  if (!lines_are_gone) failure_lines.latest.clear();
}

int Reporter::fail(const Context& where, const Failure& failure) const {
  return fail(where, failure.text);
}

void Reporter::fatal(const Context& where, std::string_view text, int code) const {
  print(who_, as_called(where), text);
  end_job(code);
}

void Reporter::warn(const Context& where, std::string_view text) const {
  print(caller(), as_called(where), text);
}

void Reporter::notice(std::string_view text) const {
  print_text("comex: " + std::string(text) + "\n");
}

}  // namespace comex::runtime
