// Owns the requests under way: objects that are reused, with the buffers that they hold.
//
// The pool allocates in chunks. Only tidy() gives memory back: all of it, if nothing is in use and less would
// have sufficed. So the steady state has no malloc. Callers hold the engine lock. Owned by op/remote.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

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

}  // namespace comex::nb
