// Drives progress in a process that runs the user's program, and does all its waiting.
//
// The engine owns the lock that lets one thread at a time into the transport, and hands messages to their
// sinks. Operations start under enter() and are waited for with wait(). Each wait drives MPI in every round
// and never naps longer than the policy allows. If several threads wait, the newest polls and the others look
// at their condition from time to time. Conditions are evaluated under the lock and must not wait. Made by
// runtime; used by calls, worlds and op.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/status.h"
#include "op/function_ref.h"
#include "op/stall_watch.h"
#include "shm/idle.h"
#include "transport/transport.h"

namespace comex::op {

// The receivers of messages; null where a process has no such side.
struct Sinks {
  transport::Sink* server = nullptr;
  transport::Sink* origin = nullptr;
  transport::Sink* control = nullptr;
};

struct EngineOptions {
  shm::WaitPolicy wait = {};
  std::optional<shm::Doorbell> doorbell = std::nullopt;
  StallOptions stall = {};
  bool has_threads = true;  // threads of the program, or a progress thread
  // Called without the lock by every poll, and by a wait before each of its naps. May be empty.
  std::function<void()> when_idle = {};
  // Ends the job: the members of a group do not make the same collective call. It says what came instead.
  std::function<void(const WaitReason&, const std::string& what)> on_mismatch = {};
};

// Lets one thread in at a time. Under MPI_THREAD_MULTIPLE it is a mutex. Below that level MPI's own rule
// allows one caller at a time, and one atomic exchange keeps it at half the price; a second caller spins.
class EngineMutex {
 public:
  explicit EngineMutex(bool has_threads) : has_threads_(has_threads) {}

  bool try_lock() {
    if (has_threads_) return mutex_.try_lock();
    return !is_taken_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    if (has_threads_) {
      mutex_.lock();
    } else {
      while (!try_lock()) std::this_thread::yield();
    }
  }
  void unlock() {
    if (has_threads_) {
      mutex_.unlock();
    } else {
      is_taken_.store(false, std::memory_order_release);
    }
  }

 private:
  const bool has_threads_;
  std::atomic<bool> is_taken_{false};
  std::mutex mutex_;
};

class Engine {
 public:
  using Lock = std::unique_lock<EngineMutex>;
  using Condition = FunctionRef<bool()>;

  Engine(transport::Transport& transport, const Sinks& sinks, shm::Os& os, EngineOptions options);

  Lock enter() {
    Lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) [[unlikely]]
      enter_late(lock);
    return lock;
  }
  // Waits until the condition holds and returns with the lock held, so that it still does.
  template <class Holds>
  Lock enter_when(const Holds& condition, const WaitReason& reason) {
    Lock lock = enter();
    if (condition()) [[likely]]
      return lock;
    return wait_with(std::move(lock), condition, reason);
  }

  // For a program that asks for progress: pumps once if no other thread does. Returns how many things moved.
  unsigned poll();
  // The same without a request of the program, as by a progress thread: outboxes stay as they are.
  unsigned poll_aside();
  // The same for a caller that holds the lock.
  unsigned pump() { return pump(nullptr); }

  void wait(Condition done, const WaitReason& reason) { enter_when(done, reason); }

  // Whether something moves on only while this process makes calls: any of them should poll now and then.
  bool needs_polls() const { return needs_polls_.load(std::memory_order_relaxed); }
  // Call it when something was started, with the lock.
  void note_started() {
    if (!needs_polls()) look_at_needs();
  }

  // Attaches a wire that is pumped after the own one. It must stay until it is detached. Under the lock.
  void attach(transport::Transport& transport, const Sinks& sinks);
  void detach(const transport::Transport& transport);

  // The call is made without the lock by every poll, and by every wait between two rounds. Set it before
  // there are threads.
  void set_between_rounds(std::function<void()> call) { between_rounds_ = std::move(call); }

  // For a collective whose members do not make the same call. Without the lock.
  [[noreturn]] void end_mismatched(const WaitReason& reason, const std::string& what) const {
    if (options_.on_mismatch) options_.on_mismatch(reason, what);
    bug(__FILE__, __LINE__, what.c_str());
  }

  // For a wait that sleeps outside the engine and polls in between.
  StallWatch watch(const WaitReason& reason) const { return StallWatch(os_, options_.stall, reason); }

 private:
  struct Attachment {
    transport::Transport* transport = nullptr;
    Sinks sinks;
  };

  void enter_late(Lock& lock);
  void let_others_pass() const;
  Lock wait_with(Lock lock, Condition condition, const WaitReason& reason);
  void tell_of_wait();
  static void dispatch(const Sinks& sinks, const transport::Message& message);
  unsigned pump(const Condition* done);  // null: no condition
  static unsigned pump(const Attachment& attachment, const Condition* done);
  void look_at_needs();

  Attachment own_;
  std::vector<Attachment> others_;  // under mutex_
  shm::Os& os_;
  EngineOptions options_;
  std::function<void()> between_rounds_;
  EngineMutex mutex_;
  std::uint64_t waits_ = 0;   // under mutex_: the number of waits so far
  std::uint64_t poller_ = 0;  // under mutex_: the wait that polls; 0: none
  std::atomic<bool> needs_polls_{false};
  std::atomic<unsigned> wanting_{0};  // threads that want the lock; the poller lets them pass
};

}  // namespace comex::op
