// Runs the same few processes in every order of their accesses to shared memory, up to a bound.
//
// The sources under test are compiled as for the thread sanitizer, so that the compiler calls
// access_hooks.cpp before each access; no source is changed. Processes are fibres of one thread, and a
// process runs until it waits, ends or yields. Besides, it may be interrupted before an access to memory that
// another one uses too, at most `preemptions` times in one schedule. Memory is sequentially consistent here:
// what weaker orders would add is not seen. A process that waits runs again when it is woken, never because
// time passes, unless `time_passes`: so a lost wake-up is a schedule in which nobody can go on.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rules/choices.h"

namespace comex::rules {

// What is shared lies here, and is zero at the start of each schedule.
inline constexpr std::size_t most_shared_bytes = 256 << 10;
std::byte* shared_memory();

struct Scenario {
  std::function<void()> begin = {};  // before each schedule: makes what the processes use
  std::vector<std::function<void()>> processes = {};
  std::function<void()> end = {};  // after each schedule: expectations
  unsigned preemptions = 2;
  std::size_t shared_bytes = 16 << 10;     // that are used
  std::optional<std::size_t> mortal = {};  // this process may die before any of its writes and wake-ups
  bool time_passes = false;                // where nobody can go on, the waits with a limit end
};

class Scheduler {
 public:
  // Returns how many schedules there were; stops at the first that fails an expectation, and tells it.
  unsigned long explore(const Scenario& scenario);

  // For the operating system of the processes. wait() returns false when the time ran out.
  bool wait(const void* word, std::uint64_t timeout_ns, std::uint32_t bitset);
  void wake(const void* word, std::uint32_t waiters, std::uint32_t bitset);
  void yield();
  std::uint64_t now_ns() { return ++now_ns_; }
  void pass(std::uint64_t ns) { now_ns_ += ns; }
  bool is_dead(std::size_t process) const { return processes_[process].is_dead; }

  // For expectations: grows with each access to shared memory.
  unsigned long time() const { return steps_; }
  bool is_running() const { return current_ != nobody; }

  // Before each access; see access_hooks.cpp.
  void before_access(std::size_t offset, std::size_t bytes, bool writes);

 private:
  static constexpr std::size_t nobody = SIZE_MAX;
  static constexpr std::size_t most_processes = 4;
  static constexpr std::size_t granule = 8;
  struct Process {
    ucontext_t context;
    bool is_over = false;
    bool is_dead = false;
    bool waits = false;
    bool timed_out = false;
    const void* word = nullptr;
    std::uint64_t timeout_ns = 0;
    std::uint32_t bitset = 0;
    unsigned long looked_at = 0;     // changes_ at the last access
    std::size_t last_read = nobody;  // offset of it, if it was a read
    unsigned long yielded_at = 0;    // changes_ at the last yield
    unsigned idle_yields = 0;
  };

  void run_once(const Scenario& scenario);
  static void enter();
  bool learn(std::size_t offset, std::size_t bytes, bool writes);
  bool can_run(std::size_t process) const {
    return !processes_[process].is_over && !processes_[process].waits;
  }
  struct Others {
    std::array<std::uint8_t, most_processes> numbers{};
    unsigned count = 0;
  };
  Others others() const;
  void go_on_with_one_of(const Others& next, const char* why);
  void switch_to(std::size_t process, const char* why);
  void leave(const char* why);  // the current process cannot go on
  bool let_time_pass();
  bool may_die() const { return may_die_ && scenario_->mortal == current_; }
  void die();
  void fail(const std::string& what);
  std::string story() const;

  Choices choices_;
  const Scenario* scenario_ = nullptr;
  std::vector<Process> processes_;
  std::size_t current_ = nobody;
  ucontext_t main_;
  std::vector<std::uint8_t> readers_, writers_;  // of each granule, a bit for each process
  std::vector<bool> is_contended_;               // fixed while schedules are gone through
  bool has_learnt_ = false;
  unsigned preemptions_left_ = 0;
  bool may_die_ = false;  // it has not yet
  bool is_stuck_ = false;
  unsigned long steps_ = 0;
  unsigned long changes_ = 0;
  unsigned time_outs_ = 0;
  std::uint64_t now_ns_ = 0;
  struct Switch {
    unsigned long step;
    std::size_t from, to;
    const char* why;
  };
  std::vector<Switch> story_;
};

Scheduler& scheduler();

}  // namespace comex::rules
