// Says an error once, in one line, and does what the program chose: end the job, or go on with a code.
//
// One reporter per process, made before anything can fail. Called by the API for failures of its own
// process and by a server for operations it refuses.
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
  Identity caller() const;                    // the same, with the endpoint that the calling thread asks for
  std::uint32_t run() const { return run_; }  // another one after each init

  void set_returns(bool returns) { returns_.store(returns, std::memory_order_relaxed); }
  bool returns() const { return returns_.load(std::memory_order_relaxed); }

  // Prints, then ends the job unless errors are returned. Yields COMEX_FAILURE.
  int fail(const Context& where, const Failure& failure) const;
  int fail(const Context& where, std::string_view text) const;
  // Prints, then ends the job whatever was chosen.
  [[noreturn]] void fatal(const Context& where, std::string_view text, int code = failure_exit_code) const;
  void warn(const Context& where, std::string_view text) const;  // the line of a failure, but nothing fails
  void notice(std::string_view text) const;                      // "comex: text"

  // A line about somebody else's operation, and the end of the job.
  static void print(const Identity& who, const Context& where, std::string_view text);
  [[noreturn]] static void end_job(int code);

 private:
  Identity who_;
  std::uint32_t run_ = 0;
  std::atomic<bool> returns_{false};
};

}  // namespace comex::runtime
