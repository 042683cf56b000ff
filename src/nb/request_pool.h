// Owns the requests under way: reusable objects, and the reply slots that identify them on the wire.
//
// ObjectPool allocates in chunks. Only tidy() gives memory back, and only what was not needed since the last
// tidy(), so the steady state has no malloc. An object keeps its own buffers for its next use. SlotTable maps
// a reply slot to its object; slot 0 is never given out (see core/protocol.h). Callers hold the engine lock.
// Owned by op/remote.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/protocol.h"
#include "core/status.h"

namespace comex::nb {

template <class T>
class ObjectPool {
 public:
  T* take() {
    if (free_.empty()) grow();
    T* object = free_.back();
    free_.pop_back();
    if (++in_use_ > most_) most_ = in_use_;
    return object;
  }
  void give_back(T* object) {
    COMEX_BUG_IF(in_use_ == 0);
    --in_use_;
    free_.push_back(object);
  }
  std::size_t in_use() const { return in_use_; }
  std::size_t capacity() const { return chunks_.size() * chunk_objects; }

  // If nothing is in use, gives all memory back when less would have sufficed since the last call.
  void tidy() {
    if (in_use_ != 0) return;
    if (capacity() >= std::max<std::size_t>(std::exchange(most_, 0), 1) + chunk_objects) {
      chunks_.clear();
      std::vector<T*>().swap(free_);
    }
  }

  static constexpr std::size_t chunk_objects = 16;

 private:
  void grow() {
    chunks_.push_back(std::make_unique<T[]>(chunk_objects));
    free_.reserve(capacity());
    for (std::size_t i = chunk_objects; i-- > 0;) free_.push_back(&chunks_.back()[i]);
  }

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<T*> free_;
  std::size_t in_use_ = 0;
  std::size_t most_ = 0;  // the most objects in use at once since tidy()
};

// Gives out numbers from 1 to the last slot, lowest first until the first one comes back.
class SlotTable {
 public:
  static constexpr std::uint32_t none = 0;

  explicit SlotTable(std::uint32_t slots = protocol::slot_count) : limit_(slots) {}

  std::uint32_t take(void* owner);        // `none` when all are out
  void* owner(std::uint32_t slot) const;  // null: the slot is not out, or forget_owner was called
  void forget_owner(std::uint32_t slot);  // it stays out, since the far side may still use its tag
  void give_back(std::uint32_t slot);
  void tidy();  // when none is out: resets to the initial state
  std::uint32_t available() const { return limit_ - 1 - out_; }
  template <class F>
  void for_each_owner(F&& f) const {
    for (const Entry& entry : entries_) {
      if (entry.owner != nullptr) f(entry.owner);
    }
  }

 private:
  struct Entry {
    void* owner = nullptr;
    bool out = false;
  };
  std::uint32_t limit_;
  std::uint32_t out_ = 0;
  std::vector<Entry> entries_{1};
  std::vector<std::uint32_t> free_;
};

}  // namespace comex::nb
