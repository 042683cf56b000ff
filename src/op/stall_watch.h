// Measures how long one wait has lasted, reports once when that is too long, and has it explained when it
// goes on.
//
// It reads the clock rarely while looks come quickly. The limit does not count the time in which the process
// was stopped. One thread uses it for one wait; the engine has one, and so have the calls that sleep on a
// word of the arena.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/activity.h"
#include "core/ids.h"
#include "op/function_ref.h"
#include "shm/os.h"

namespace comex::op {

// Why a thread waits, in the words of the line that a stalled wait prints.
struct WaitReason {
  const char* operation = "wait";
  Lpid target = no_lpid;           // no_lpid: none in particular
  TransportRank server = no_rank;  // no_rank: none in particular
  int handle = 0;                  // of the operation; the receiver of stalls knows which one
  const void* address = nullptr;   // of the word that is waited for; null: none
  TargetName named = {};           // the target as the program names it
  std::uint64_t context = 0;       // of the group whose members are waited for; 0: the world, or none
  std::int64_t mutex = -1;         // index of the mutex that is waited for; -1: none
  // Names what has not come, when the line is printed, without the engine lock. If it is null or returns an
  // empty text, `server` is named. It lives as long as the wait.
  const FunctionRef<std::string()>* awaited = nullptr;
};

// The call that waits. Null: it is the operation itself.
struct CallNames {
  const char* made = nullptr;  // as the program calls it
  const char* call = nullptr;  // the call of comex.h
};

struct StallOptions {
  activity::Recorder activity = {};         // where long waits are recorded; with COMEX_STATS all that pause
  std::uint64_t stall_ns = 60'000'000'000;  // 0: stalls are not reported
  std::function<void(const WaitReason&, std::uint64_t waited_ns)> on_stall = {};
  std::uint64_t limit_ns = 0;  // 0: none
  std::function<void(const WaitReason&, std::uint64_t waited_ns)> on_limit = {};
  std::uint64_t explain_ns = 0;          // after the stall is reported, if the wait still lasts
  std::function<void()> explain = {};    // says why
  std::function<CallNames()> call = {};  // of the calling thread
};

class StallWatch {
 public:
  StallWatch(shm::Os& os, const StallOptions& options, const WaitReason& reason)
      : os_(os), options_(options), reason_(reason) {
    if (options.activity && options.activity.counts_all()) begin(os_.now_ns());
  }
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;
  ~StallWatch() {
    if (since_ns_ != 0 && options_.activity) options_.activity.end_wait(row_, wait_, since_ns_, os_.now_ns());
  }

  void look() {
    if (++looks_ % looks_per_clock != 0 && !slow_ && absent_ns_ == 0) return;
    const std::uint64_t now = os_.now_ns();
    if (since_ns_ == 0) begin(now);
    if (options_.stall_ns != 0 && told_ != Told::why) tell(now - since_ns_);
    if (options_.limit_ns == 0) return;
    // While the process or its machine is stopped, what it waits for may be as well.
    if (now - last_look_ns_ >= stopped_ns) absent_ns_ += now - last_look_ns_;
    last_look_ns_ = now;
    if (now - since_ns_ - absent_ns_ >= options_.limit_ns) options_.on_limit(reason_, now - since_ns_);
  }
  void set_slow(bool slow) { slow_ = slow; }  // looks are far apart: read the clock each time

 private:
  enum class Told : std::uint8_t { nothing, stall, why };
  static constexpr unsigned looks_per_clock = 64;
  static constexpr std::uint64_t stopped_ns = 2'000'000'000;  // longer than any nap

  void tell(std::uint64_t waited_ns) {
    if (told_ == Told::nothing && options_.on_stall && waited_ns >= options_.stall_ns) {
      told_ = Told::stall;
      options_.on_stall(reason_, waited_ns);
    } else if (told_ == Told::stall && options_.explain &&
               waited_ns - options_.stall_ns >= options_.explain_ns) {
      told_ = Told::why;
      options_.explain();
    }
  }
  void begin(std::uint64_t now) {
    since_ns_ = last_look_ns_ = now;
    if (!options_.activity) return;
    const CallNames names = options_.call ? options_.call() : CallNames();
    wait_ = {.name = names.made != nullptr ? names.made : reason_.operation,
             .waiting = activity::waiting_of(reason_.operation, reason_.server != no_rank),
             .kind = activity::call_hash(names.call != nullptr ? names.call : reason_.operation),
             .target = reason_.target,
             .server = reason_.server,
             .group = reason_.named.group,
             .rank = reason_.named ? reason_.named.rank : -1,
             .context = reason_.context,
             .mutex = reason_.mutex};
    row_ = options_.activity.begin_wait(wait_, now);
  }

  shm::Os& os_;
  const StallOptions& options_;
  WaitReason reason_;
  activity::Recorder::Wait wait_;  // once it has begun
  std::size_t row_ = 0;
  unsigned looks_ = 0;
  bool slow_ = false;
  std::uint64_t last_look_ns_ = 0;
  std::uint64_t absent_ns_ = 0;  // during which nobody looked; then each look reads the clock
  Told told_ = Told::nothing;
  std::uint64_t since_ns_ = 0;
};

}  // namespace comex::op
