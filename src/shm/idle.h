// How a process waits: it spins briefly, yields, then takes growing naps that a doorbell ends.
//
// The caller loops: it looks for work and drives MPI, then calls reset() if there was work, else pause(). A
// ring after pause() or reset() has returned ends the next nap at once, so look for work after these calls,
// never before. No step lasts longer than nap_max_ns. A caller with work for a long time calls give_way() in
// between. Used by every wait of op, nb, pr and runtime.
#pragma once

#include <cstdint>
#include <optional>

#include "core/settings.h"
#include "shm/doorbell.h"
#include "shm/os.h"

namespace comex::shm {

struct WaitPolicy {
  std::uint64_t spin_ns = 10'000;
  // How long yields go on: as long as the other side takes to copy a chunk, which must not meet a nap.
  std::uint64_t yield_ns = 150'000;
  std::uint64_t nap_first_ns = 20'000;  // then a quarter of the time waited, which bounds the delay
  std::uint64_t nap_max_ns = 1'250'000;
  WaitMode mode = WaitMode::automatic;
  bool workers_have_cores = false;  // each worker has its own, while the progress ranks sleep
  // More ranks than cores: no spin is longer than this, since the process waited for may need the core.
  bool oversubscribed = false;
  std::uint64_t oversubscribed_spin_ns = 1'000;
  std::uint64_t work_ns = 20'000;  // shortest time between two calls of give_way() that yield

  // For waits that sleep on a word of their own and count their rounds.
  bool yields_ever() const { return mode != WaitMode::spin; }
  bool sleeps_after(std::uint32_t round, std::uint32_t rounds_awake) const {
    return mode == WaitMode::sleep || (mode == WaitMode::automatic && round >= rounds_awake);
  }
};

class Idle {
 public:
  // Without a doorbell, naps are plain sleeps.
  Idle(Os& os, const WaitPolicy& policy, std::optional<Doorbell> doorbell = std::nullopt);

  void reset();  // there was work: start again with spinning
  void pause();  // there was no work: wait one step
  // Call this while there is more work. It yields if the last yield is long ago, since processes that wait
  // for finished work may share the core.
  void give_way();
  // Sleeps once for up to `ns`. Only for callers to whom a ring alone brings work (forever_ns). True when
  // rung.
  bool sleep(std::uint64_t ns);

  bool would_nap() const { return step_ == Step::nap; }  // the next pause() sleeps
  std::uint64_t nap_ns() const;                          // length of that nap
  std::uint64_t stalled_for() const;                     // ns since reset; 0 while still spinning

 private:
  enum class Step : std::uint8_t { spin, yield, nap };
  void spin();
  void yield();

  Os* os_;
  WaitPolicy policy_;
  std::optional<Doorbell> doorbell_;
  Step step_ = Step::spin;
  std::uint32_t seen_ = 0;
  std::uint32_t steps_ = 0;
  std::uint64_t since_ns_ = 0;
  std::uint64_t gave_way_ns_ = 0;
};

}  // namespace comex::shm
