// A queue that takes no memory while empty, because few of many queues are ever used.
//
// Elements taken from the front leave a gap. It is removed when the queue is empty or would grow. Used by
// op/remote.
#pragma once

#include <cstddef>
#include <vector>

namespace comex::nb {

template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  std::size_t capacity() const { return items_.capacity(); }
  const T& front() const { return items_[head_]; }
  auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(head_); }
  auto end() const { return items_.end(); }

  void push_back(const T& item) {
    if (items_.size() == items_.capacity() && head_ > items_.size() / 2) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    items_.push_back(item);
  }
  void pop_front() {
    if (++head_ < items_.size()) return;
    items_.clear();
    head_ = 0;
  }

 private:
  std::vector<T> items_;
  std::size_t head_ = 0;
};

}  // namespace comex::nb
