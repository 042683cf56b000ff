// Counts what is outstanding without a handle, by target. wait_proc and wait_all wait for it.
//
// Who waits takes a mark first, and waits for what was added before: others may add without end. For that a
// target has two completions, which count in turn.
//
// It is sparse: a target has an entry while it has something outstanding or an unreported refusal, and for
// some time after. wait_all walks only entries that may have either. The size is bounded by how much was
// outstanding at once, not by the number of targets. Callers hold the engine lock. A completion does not move
// while it counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
    return entry.completions[entry.current];
  }

  bool is_empty() const { return listed_.empty(); }
  bool done(Lpid target) const {
    const auto found = entries_.find(target);
    return found == entries_.end() || found->second.is_done();
  }

  using Mark = std::uint64_t;
  Mark mark() { return ++marks_; }
  // True if what was added before the mark is done.
  bool done(Lpid target, Mark mark) {
    const auto found = entries_.find(target);
    return found == entries_.end() || found->second.is_done(mark, marks_);
  }
  // The same for all targets for which keep(lpid) holds. Forgets those that are done and not failed.
  template <class Keep>
  bool all_done(Mark mark, Keep&& keep) {
    bool all = true;
    std::erase_if(listed_, [&](Entry* entry) {
      if (!entry->is_done() && keep(entry->target) && !entry->is_done(mark, marks_)) all = false;
      entry->listed = !entry->is_done() || entry->has_failed();
      return !entry->listed;
    });
    if (listed_.empty() && sweep_.is_over(entries_.size())) [[unlikely]]
      forget_done();
    return all;
  }

  // True when an operation was refused, which is reported once.
  bool take_failure(Lpid target) {
    const auto found = entries_.find(target);
    return found != entries_.end() && found->second.take_failure();
  }
  template <class Keep>
  bool take_failures(Keep&& keep) {
    bool any = false;
    for (Entry* entry : listed_) {
      if (keep(entry->target) && entry->take_failure()) any = true;
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
    unsigned char current = 0;
    std::array<Completion, 2> completions;
    // The last mark when the completions took turns last, and the time before.
    Mark turned = 0;
    Mark turned_before = 0;

    bool is_done() const { return completions[0].done() && completions[1].done(); }
    bool has_failed() const { return completions[0].failed() || completions[1].failed(); }
    bool take_failure() {
      const bool first = completions[0].take_failure() != OperationError::none;
      return completions[1].take_failure() != OperationError::none || first;
    }
    // What was added before the mark is in the completion that counted until the first turn after it, and
    // that one is done before the next turn.
    bool is_done(Mark mark, Mark last_mark) {
      if (turned_before >= mark || is_done()) return true;
      const Completion& other = completions[1 - current];
      if (!other.done()) return false;
      if (turned >= mark) return true;
      current = 1 - current;
      turned_before = turned;
      turned = last_mark;
      return false;
    }
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
    sweep_.note_swept(entries_.size());
  }
  void sweep() {
    all_done(0, [](Lpid) { return false; });
    forget_done();
  }

  std::unordered_map<Lpid, Entry> entries_;
  std::vector<Entry*> listed_;
  Mark marks_ = 0;
  CleanupThreshold sweep_{kept};
  Entry* last_ = nullptr;  // of the last operation; the next one often needs it again
};

}  // namespace comex::nb
