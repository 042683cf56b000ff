// Which workers of the own world are known to have died, in memory that the processes of a host share.
//
// The host's progress ranks mark them (runtime/opening/failure_watch); everybody else reads. The epoch grows
// with every mark, so one load says whether anything is new. A view, like Directory; without memory it is
// that of a job which ends with its first dead worker: nobody is ever marked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/ids.h"
#include "groups/connection_table.h"

namespace comex::groups {

enum class WorkerState : std::uint8_t {
  alive,
  dead,  // its memory is still there: its host serves it
  lost,  // its host is lost, its memory as well
};

class Failures {
 public:
  static constexpr std::uint64_t bytes(std::uint32_t workers, std::uint32_t hosts) {
    return sizeof(Head) + workers + hosts;
  }

  Failures() = default;
  // `memory` has bytes(workers, hosts), is aligned to 64, zero-filled at first, and outlives every copy.
  Failures(std::byte* memory, std::uint32_t workers)
      : head_(reinterpret_cast<Head*>(memory)),
        states_(reinterpret_cast<std::atomic<std::uint8_t>*>(memory + sizeof(Head))),
        workers_(workers) {}

  bool are_watched() const { return head_ != nullptr; }
  std::uint32_t workers() const { return workers_; }
  std::uint64_t epoch() const { return head_ == nullptr ? 0 : head_->epoch.load(std::memory_order_acquire); }
  WorkerState of(Worker worker) const {
    return head_ == nullptr ? WorkerState::alive
                            : static_cast<WorkerState>(states_[worker].load(std::memory_order_relaxed));
  }
  std::uint32_t dead_workers() const {
    std::uint32_t count = 0;
    for (Worker worker = 0; worker < workers_; ++worker) count += of(worker) == WorkerState::alive ? 0u : 1u;
    return count;
  }
  // Hosts whose workers have all left or died; a host is noted once.
  std::uint32_t left_hosts() const { return head_->left_hosts.load(std::memory_order_acquire); }
  void note_left(std::uint32_t host) const {
    if (states_[workers_ + host].exchange(1, std::memory_order_relaxed) == 0)
      head_->left_hosts.fetch_add(1, std::memory_order_release);
  }
  // True once on a host: the caller prints that a progress rank has died.
  bool claim_server_notice() const { return head_->server_told.exchange(1, std::memory_order_relaxed) == 0; }
  // False if this or worse was known already. No worker comes back to life.
  bool mark(Worker worker, WorkerState state) const {
    const auto worse = static_cast<std::uint8_t>(state);
    std::uint8_t known = states_[worker].load(std::memory_order_relaxed);
    do {
      if (known >= worse) return false;
    } while (!states_[worker].compare_exchange_weak(known, worse, std::memory_order_relaxed));
    head_->epoch.fetch_add(1, std::memory_order_release);
    return true;
  }

 private:
  struct alignas(64) Head {
    std::atomic<std::uint64_t> epoch;
    std::atomic<std::uint32_t> left_hosts;
    std::atomic<std::uint32_t> server_told;
  };
  static_assert(sizeof(std::atomic<std::uint8_t>) == 1);

  Head* head_ = nullptr;
  std::atomic<std::uint8_t>* states_ = nullptr;
  std::uint32_t workers_ = 0;
};

// Whether a process of one group is known to have died. The members are looked at once for each epoch.
// Threads may ask at the same time.
class MemberFailures {
 public:
  // Members of other worlds are passed over: bridges tell of those.
  MemberFailures(const Failures& failures, ConnectionTable members)
      : failures_(failures), members_(std::move(members)) {}

  bool any() const {
    const std::uint64_t epoch = failures_.epoch();
    if (epoch == 0) [[likely]]
      return false;
    return found_.load(std::memory_order_relaxed) || look(epoch);
  }

 private:
  bool look(std::uint64_t epoch) const {
    if (looked_at_.load(std::memory_order_relaxed) == epoch) return false;
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
      const auto worker = static_cast<Worker>(members_.lpid(i));
      if (worker >= failures_.workers() || failures_.of(worker) == WorkerState::alive) continue;
      found_.store(true, std::memory_order_relaxed);
      return true;
    }
    looked_at_.store(epoch, std::memory_order_relaxed);
    return false;
  }

  Failures failures_;
  ConnectionTable members_;
  mutable std::atomic<std::uint64_t> looked_at_{0};
  mutable std::atomic<bool> found_{false};
};

}  // namespace comex::groups
