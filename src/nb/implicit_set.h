// Counts what is outstanding without a handle, by target. wait_proc and wait_all wait for it.
//
// It is sparse: a target has an entry while it has something outstanding or an unreported refusal, and for
// some time after. wait_all walks only entries that may have either. The size is bounded by how much was
// outstanding at once, not by the number of targets. Callers hold the engine lock. A completion does not move
// while it counts.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "nb/cleanup_threshold.h"
#include "nb/completion.h"

namespace comex::nb {

class ImplicitSet {
 public:
  ImplicitSet() = default;
  ImplicitSet(const ImplicitSet&) = delete;  // it holds pointers into itself
  ImplicitSet& operator=(const ImplicitSet&) = delete;

  // The completion that counts the implicit operations on this target.
  Completion& of(Lpid target) {
    Entry& entry = entry_of(target);
    if (!entry.listed) {
      entry.listed = true;
      listed_.push_back(&entry);
    }
    return entry.completion;
  }

  bool is_empty() const { return listed_.empty(); }
  bool done(Lpid target) const {
    const auto found = entries_.find(target);
    return found == entries_.end() || found->second.completion.done();
  }

  bool take_failure(Lpid target) {
    const auto found = entries_.find(target);
    return found != entries_.end() && found->second.completion.take_failure() != OperationError::none;
  }

  // True if all targets for which keep(lpid) holds are done. Forgets those that are done and not failed.
  template <class Keep>
  bool all_done(Keep&& keep) {
    bool all = true;
    std::erase_if(listed_, [&](Entry* entry) {
      if (!entry->completion.done() && keep(entry->target)) all = false;
      entry->listed = !entry->completion.done() || entry->completion.failed();
      return !entry->listed;
    });
    if (listed_.empty() && sweep_.is_over(entries_.size())) [[unlikely]]
      forget_done();
    return all;
  }

  // True when an operation on one of those targets was refused, which is reported once.
  template <class Keep>
  bool take_failures(Keep&& keep) {
    bool any = false;
    for (Entry* entry : listed_) {
      if (keep(entry->target) && entry->completion.take_failure() != OperationError::none) any = true;
    }
    return any;
  }

  std::size_t size() const { return entries_.size(); }  // for tests
  // The size of an entry, for estimates of the runtime's memory.
  static constexpr std::size_t entry_bytes() { return sizeof(Entry); }
  static constexpr std::size_t kept = 512;  // up to so many entries, none are searched

 private:
  struct Entry {
    Lpid target = no_lpid;
    bool listed = false;
    Completion completion;
  };

  Entry& entry_of(Lpid target) {
    if (last_ != nullptr && last_->target == target) [[likely]]
      return *last_;
    return look_up(target);
  }
  Entry& look_up(Lpid target) {
    auto found = entries_.find(target);
    if (found == entries_.end()) {
      if (sweep_.is_due(entries_.size())) sweep();
      found = entries_.try_emplace(target).first;  // the nodes of an unordered_map never move
      found->second.target = target;
    }
    last_ = &found->second;
    return *last_;
  }

  // An entry that is not listed has nothing outstanding and no failure to report.
  void forget_done() {
    forget(entries_, [](const auto& each) { return !each.second.listed; });
    last_ = nullptr;
    give_back_capacity(listed_);
    sweep_.has_left(entries_.size());
  }
  void sweep() {
    all_done([](Lpid) { return false; });
    forget_done();
  }

  std::unordered_map<Lpid, Entry> entries_;
  std::vector<Entry*> listed_;
  CleanupThreshold sweep_{kept};
  Entry* last_ = nullptr;  // of the last operation; the next one often needs it again
};

}  // namespace comex::nb
