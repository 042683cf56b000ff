#include "shm/idle.h"

#include <algorithm>

namespace comex::shm {

namespace {
// The caller's search for work is pause enough. Reading the clock at every step would double its cost.
constexpr std::uint32_t steps_a_clock = 8;
// A nap lasts a quarter of the time waited, up to a quarter of the longest nap; later a thousandth, up to the
// longest. So an event after a short wait meets a short nap, and a long wait has few wake-ups.
constexpr std::uint64_t naps_in_a_short_wait = 4;
constexpr std::uint64_t naps_in_a_long_wait = 1000;
}  // namespace

Idle::Idle(Os& os, const WaitPolicy& policy, std::optional<Doorbell> doorbell)
    : os_(&os), policy_(policy), doorbell_(doorbell) {
  if (policy_.oversubscribed) policy_.spin_ns = std::min(policy_.spin_ns, policy_.oversubscribed_spin_ns);
  reset();
}

void Idle::reset() {
  step_ = policy_.mode == WaitMode::sleep ? Step::nap : Step::spin;
  steps_ = 0;
  since_ns_ = 0;
  if (doorbell_) seen_ = doorbell_->seen();
}

void Idle::pause() {
  if (since_ns_ == 0) since_ns_ = os_->now_ns();
  switch (step_) {
    case Step::spin:
      spin();
      break;
    case Step::yield:
      yield();
      break;
    case Step::nap:
      static_cast<void>(sleep(nap_ns()));
      return;
  }
  if (doorbell_) seen_ = doorbell_->seen();
}

void Idle::give_way() {
  if (!policy_.yields_ever()) return;
  const std::uint64_t now = os_->now_ns();
  if (now - gave_way_ns_ < policy_.work_ns) return;
  os_->yield();
  gave_way_ns_ = os_->now_ns();
}

void Idle::spin() {
  cpu_relax();
  if (policy_.mode == WaitMode::spin || ++steps_ % steps_a_clock != 0) return;
  if (os_->now_ns() - since_ns_ >= policy_.spin_ns) step_ = Step::yield;
}

void Idle::yield() {
  os_->yield();
  if (policy_.mode == WaitMode::yield) return;
  if (os_->now_ns() - since_ns_ >= policy_.spin_ns + policy_.yield_ns) step_ = Step::nap;
}

std::uint64_t Idle::nap_ns() const {
  const std::uint64_t waited = stalled_for();
  const std::uint64_t early = std::min(waited / naps_in_a_short_wait, policy_.nap_max_ns / 4);
  const std::uint64_t late = waited / naps_in_a_long_wait;
  return std::min(std::max({early, late, policy_.nap_first_ns}), policy_.nap_max_ns);
}

bool Idle::sleep(std::uint64_t ns) {
  if (since_ns_ == 0) since_ns_ = os_->now_ns();
  if (!doorbell_) {
    os_->sleep_ns(ns);
    return false;
  }
  const bool is_rung = doorbell_->sleep_until_rung(seen_, ns);
  seen_ = doorbell_->seen();
  return is_rung;
}

std::uint64_t Idle::stalled_for() const {
  return since_ns_ == 0 ? 0 : os_->now_ns() - since_ns_;
}

}  // namespace comex::shm
