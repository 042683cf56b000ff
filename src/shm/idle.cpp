#include "shm/idle.h"

#include <algorithm>

namespace comex::shm {

namespace {
// The caller's look for work is pause enough; reading the clock each time would double it.
constexpr std::uint32_t spins_a_clock = 8;
constexpr std::uint64_t no_yield_ns = 1'000'000'000;
}  // namespace

Idle::Idle(Os& os, const WaitPolicy& policy, std::optional<Doorbell> doorbell)
    : os_(&os), policy_(policy), doorbell_(doorbell) {
  if (policy_.oversubscribed) policy_.spin_ns = std::min(policy_.spin_ns, policy_.crowded_spin_ns);
  reset();
}

Idle::Step Idle::first_step() const {
  return policy_.mode == WaitMode::sleep ? Step::nap : Step::spin;
}

void Idle::reset() {
  step_ = first_step();
  steps_ = 0;
  since_ns_ = 0;
  nap_ns_ = std::min(policy_.nap_first_ns, policy_.nap_max_ns);
  has_told_ = false;
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
      nap();
      return;
  }
  if (doorbell_) seen_ = doorbell_->seen();
}

void Idle::spin() {
  cpu_relax();
  if (policy_.mode == WaitMode::spin || ++steps_ % spins_a_clock != 0) return;
  const std::uint64_t now = os_->now_ns();
  if (now - since_ns_ < policy_.spin_ns) return;
  steps_ = 0;
  const bool yields = policy_.mode == WaitMode::yield || (policy_.yields > 0 && now >= no_yield_until_ns_);
  step_ = yields ? Step::yield : Step::nap;
}

void Idle::yield() {
  const bool may_be_dear = policy_.dear_yield_ns != 0 && policy_.mode != WaitMode::yield;
  const std::uint64_t before = may_be_dear ? os_->now_ns() : 0;
  os_->yield();
  if (policy_.mode != WaitMode::yield && ++steps_ >= policy_.yields) step_ = Step::nap;
  if (!may_be_dear) return;
  const std::uint64_t now = os_->now_ns();
  if (now - before < policy_.dear_yield_ns) return;
  no_yield_until_ns_ = now + no_yield_ns;
  step_ = Step::nap;
}

void Idle::nap() {
  static_cast<void>(sleep(nap_ns_));
  nap_ns_ = std::min(nap_ns_ * 2, policy_.nap_max_ns);
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

bool Idle::would_nap() const {
  return step_ == Step::nap;
}

std::uint64_t Idle::stalled_for() const {
  return since_ns_ == 0 ? 0 : os_->now_ns() - since_ns_;
}

bool Idle::is_stalled(std::uint64_t limit_ns) {
  if (has_told_ || stalled_for() < limit_ns) return false;
  has_told_ = true;
  return true;
}

}  // namespace comex::shm
