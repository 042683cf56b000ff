// What is outstanding without a handle, by target: what wait_proc and wait_all wait for.
//
// Sparse: targets have an entry while something is outstanding, or refused and untold, and for some time
// after; wait_all walks only those that may have. Its size is bounded by how much was outstanding at once,
// not by how many targets there were. All calls under the engine lock; completions do not move while they
// count.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "nb/completion.h"
#include "nb/sweep.h"

namespace comex::nb {

class ImplicitSet {
 public:
  ImplicitSet() = default;
  ImplicitSet(const ImplicitSet&) = delete;  // it points into itself
  ImplicitSet& operator=(const ImplicitSet&) = delete;

  // The completion that implicit operations on this target are counted in.
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
    return found != entries_.end() && found->second.completion.take_failure();
  }

  // Are all targets for which keep(lpid) holds done? Forgets those that are done and not failed.
  template <class Keep>
  bool all_done(Keep&& keep) {
    bool all = true;
    for (std::size_t i = 0; i < listed_.size();) {
      Entry& entry = *listed_[i];
      if (entry.completion.done() && !entry.completion.failed()) {
        entry.listed = false;
        listed_[i] = listed_.back();
        listed_.pop_back();
        continue;
      }
      if (!entry.completion.done() && keep(entry.target)) all = false;
      ++i;
    }
    if (listed_.empty() && sweep_.is_over(entries_.size())) [[unlikely]]
      forget_done();
    return all;
  }

  // True when an operation on one of those targets was refused; told once.
  template <class Keep>
  bool take_failures(Keep&& keep) {
    bool any = false;
    for (Entry* entry : listed_) {
      if (keep(entry->target) && entry->completion.take_failure()) any = true;
    }
    return any;
  }

  std::size_t size() const { return entries_.size(); }  // for tests
  // Of each target, for who computes what the runtime takes.
  static constexpr std::size_t entry_bytes() { return sizeof(Entry); }
  static constexpr std::size_t kept = 512;  // entries that are not looked through

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
      found = entries_.try_emplace(target).first;  // nodes of an unordered_map stay in place
      found->second.target = target;
    }
    last_ = &found->second;
    return *last_;
  }

  // What is not listed has nothing outstanding and no failure to tell.
  void forget_done() {
    forget(entries_, [](const auto& each) { return !each.second.listed; });
    last_ = nullptr;
    give_back_room(listed_);
    sweep_.has_left(entries_.size());
  }
  void sweep() {
    all_done([](Lpid) { return false; });
    forget_done();
  }

  std::unordered_map<Lpid, Entry> entries_;
  std::vector<Entry*> listed_;
  Sweep sweep_{kept};
  Entry* last_ = nullptr;  // of the last operation, which is mostly that of the next
};

}  // namespace comex::nb
