// Reports an error once, in one line, and then ends the job or returns a code, as the program has chosen.
//
// There is one reporter per process, made before anything can fail. The C functions use it for failures of
// their own process, and servers use it for operations they refuse.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "core/diagnose.h"
#include "core/status.h"

namespace comex::runtime {

inline constexpr int failure_exit_code = 1;

class Reporter {
 public:
  void identify(const Identity& who) {
    who_ = who;
    ++run_;
  }
  const Identity& identity() const { return who_; }
  Identity caller() const;                    // the same, with the endpoint for which the calling thread acts
  std::uint32_t run() const { return run_; }  // changes with each init

  void set_returns(bool returns) { returns_.store(returns, std::memory_order_relaxed); }
  bool returns() const { return returns_.load(std::memory_order_relaxed); }

  // Prints, then ends the job unless errors are returned. Returns COMEX_FAILURE.
  int fail(const Context& where, const Failure& failure) const;
  int fail(const Context& where, std::string_view text) const;
  // The line of the last failure of this kind in the calling thread, which is told once. It stays for the
  // next call.
  static const char* take_failure_line();
  // For a failure of which this process prints no line: that of an older one does not stand in for it.
  static void drop_failure_line();
  // Prints, then ends the job in any case.
  [[noreturn]] void fatal(const Context& where, std::string_view text, int code = failure_exit_code) const;
  void warn(const Context& where, std::string_view text) const;  // the line of a failure, but nothing fails
  void notice(std::string_view text) const;                      // "comex: text"

  // Prints a line about another process's operation, or ends the job.
  static void print(const Identity& who, const Context& where, std::string_view text);
  static void print_text(std::string_view lines);  // as they are
  // Waits until the launcher has read what was printed: it may lose the rest once a process ends the job.
  static void await_reader();
  [[noreturn]] static void end_job(int code);

 private:
  Identity who_;
  std::uint32_t run_ = 0;
  std::atomic<bool> returns_{false};
};

}  // namespace comex::runtime
