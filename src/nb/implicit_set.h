// What is outstanding without a handle, by target: what wait_proc and wait_all wait for.
//
// Sparse: only targets that were ever used have an entry, and wait_all walks only those that may
// have something outstanding. All calls under the engine lock; the completions never move.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "nb/completion.h"

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

  // Of each target, for who computes what the runtime takes.
  static constexpr std::size_t entry_bytes() { return sizeof(Entry); }

 private:
  struct Entry {
    Lpid target = no_lpid;
    bool listed = false;
    Completion completion;
  };

  Entry& entry_of(Lpid target) {
    if (last_ != nullptr && last_->target == target) [[likely]]
      return *last_;
    Entry& entry = entries_[target];  // nodes of an unordered_map stay in place
    entry.target = target;
    last_ = &entry;
    return entry;
  }

  std::unordered_map<Lpid, Entry> entries_;
  std::vector<Entry*> listed_;
  Entry* last_ = nullptr;  // of the last operation, which is mostly that of the next
};

}  // namespace comex::nb
