// A group handle's object: its members and the number under which its collectives travel.
//
// A group belongs to the table of groups; handles are small integers, 0 is the world. Freed slots
// are reused. The table is read on every operation without a lock: entries are published with a
// release store and live until the table goes, so a reader never meets a half-made one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/ids.h"
#include "groups/connection_table.h"

namespace comex::groups {

inline constexpr int world_handle = 0;
inline constexpr int max_groups = 1 << 14;

class Group {
 public:
  Group(std::uint64_t context, ConnectionTable members, int my_rank)
      : context_(context), members_(std::move(members)), my_rank_(my_rank) {}

  std::uint64_t context() const { return context_; }
  const ConnectionTable& members() const { return members_; }
  int my_rank() const { return my_rank_; }
  std::uint32_t size() const { return members_.size(); }
  // Every collective of a group has a number of its own; members call collectives in one order.
  std::uint64_t next_sequence() { return sequence_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::uint64_t context_;
  ConnectionTable members_;
  int my_rank_;
  std::atomic<std::uint64_t> sequence_{0};
};

class GroupTable {
 public:
  GroupTable() : slots_(max_groups) {}

  int add(std::unique_ptr<Group> group);  // -1 when the table is full
  void remove(int handle);
  Group* find(int handle) const {
    if (handle < 0 || handle >= max_groups) return nullptr;
    return slots_[static_cast<std::size_t>(handle)].load(std::memory_order_acquire);
  }
  std::vector<int> handles() const;

 private:
  std::vector<std::atomic<Group*>> slots_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Group>> owned_;
  std::vector<int> free_;
  int used_ = 0;
};

}  // namespace comex::groups
