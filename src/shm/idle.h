// How a process waits: spin briefly, yield, then nap with growing naps that a doorbell cuts short.
//
// The caller's loop: look for work and drive MPI; if there was work reset(), else pause(). A ring that
// comes after pause() or reset() returned makes the next nap return at once, so look after, never
// before. No step lasts longer than nap_max_ns. Who has more work for long calls give_way() between. Used by
// every wait of op, nb, pr and runtime.
#pragma once

#include <cstdint>
#include <optional>

#include "core/settings.h"
#include "shm/doorbell.h"
#include "shm/os.h"

namespace comex::shm {

struct WaitPolicy {
  std::uint64_t spin_ns = 10'000;
  // Yields go on for so long: a copy of one chunk by the other side, which must not meet a nap.
  std::uint64_t yield_ns = 150'000;
  std::uint64_t nap_first_ns = 20'000;  // then a quarter of the time waited, so as not to oversleep by more
  std::uint64_t nap_max_ns = 1'250'000;
  WaitMode mode = WaitMode::automatic;
  bool workers_have_cores = false;  // each its own, while their progress ranks sleep
  // More ranks than cores: no spin is longer than this, since who is waited for may need the core.
  bool oversubscribed = false;
  std::uint64_t oversubscribed_spin_ns = 1'000;
  std::uint64_t work_ns = 20'000;  // at least so long from one time that who works gives way to the next

  // For waits that sleep on a word of their own and count their rounds.
  bool yields_ever() const { return mode != WaitMode::spin; }
  bool sleeps_after(std::uint32_t round, std::uint32_t rounds_awake) const {
    return mode == WaitMode::sleep || (mode == WaitMode::automatic && round >= rounds_awake);
  }
};

class Idle {
 public:
  // Without a doorbell naps are plain sleeps.
  Idle(Os& os, const WaitPolicy& policy, std::optional<Doorbell> doorbell = std::nullopt);

  void reset();  // there was work: start the ladder again
  void pause();  // nothing to do: one step down the ladder
  // There is more work: a yield, if the last one here is long ago. Who waits for what is done besides may
  // share the core.
  void give_way();
  // One step of any length up to `ns`, for who knows that only a ring can bring work (forever_ns).
  // True when rung.
  bool sleep(std::uint64_t ns);

  bool would_nap() const;                   // the next pause() sleeps
  std::uint64_t nap_ns() const;             // for so long, if it does
  std::uint64_t stalled_for() const;        // ns since reset; 0 while still spinning
  bool is_stalled(std::uint64_t limit_ns);  // true once per wait, when it has lasted longer than that

 private:
  enum class Step : std::uint8_t { spin, yield, nap };
  Step first_step() const;
  void spin();
  void yield();
  void nap();

  Os* os_;
  WaitPolicy policy_;
  std::optional<Doorbell> doorbell_;
  Step step_ = Step::spin;
  std::uint32_t seen_ = 0;
  std::uint32_t steps_ = 0;
  std::uint64_t since_ns_ = 0;
  std::uint64_t gave_way_ns_ = 0;
  bool has_told_ = false;
};

}  // namespace comex::shm
