// The object behind a group handle: its members, the rank and endpoint of the handle, and its context, the
// number under which its collectives travel.
//
// The table of groups owns it. Handles are small integers, 0 is the world, and freed slots are reused. A
// caller that frees a group first waits until nothing is under way through it. Every operation reads the
// table without a lock: a release store publishes each entry. Code that looks at groups which other threads
// may free uses any_of.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "groups/connection_table.h"
#include "groups/endpoints.h"
#include "groups/table.h"

namespace comex::groups {

inline constexpr int world_handle = 0;
inline constexpr int self_handle = -2;
inline constexpr int max_groups = 1 << 14;

class Group {
 public:
  // `remote` is the other side of an inter-group. `bridge` is the number of the bridge to other worlds; 0:
  // the group uses the own world's wire.
  Group(std::uint64_t context, Table members, int my_rank, Endpoints endpoints = {}, Table remote = {},
        BridgeId bridge = no_bridge)
      : context_(context),
        members_(std::move(members)),
        remote_(std::move(remote)),
        endpoints_(std::move(endpoints)),
        my_rank_(my_rank),
        bridge_(bridge) {}
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (!disconnects_.load(std::memory_order_relaxed)) return;
    members_.disconnect();
    remote_.disconnect();
  }

  std::uint64_t context() const { return context_; }
  // The caller's side; in a group that is not an inter-group, all members.
  const ConnectionTable& members() const { return members_.members(); }
  std::uint32_t size() const { return members().size(); }
  int my_rank() const { return my_rank_; }
  // The processes that ranks name in operations: in an inter-group, the remote side.
  bool is_inter() const { return static_cast<bool>(remote_); }
  const ConnectionTable& targets() const { return is_inter() ? remote_.members() : members_.members(); }

  const Endpoints& endpoints() const { return endpoints_; }
  std::uint32_t my_endpoint() const { return endpoints_.of(static_cast<std::uint32_t>(my_rank_)); }
  BridgeId bridge() const { return bridge_; }
  const Table& table() const { return members_; }
  const Table& remote_table() const { return remote_; }

  // When the group is freed, the connections of both sides are released too, besides the tables.
  void disconnect() { disconnects_.store(true, std::memory_order_relaxed); }

 private:
  std::uint64_t context_;
  Table members_;
  Table remote_;
  Endpoints endpoints_;
  int my_rank_;
  BridgeId bridge_;
  std::atomic<bool> disconnects_{false};
};

class GroupTable {
 public:
  GroupTable();
  ~GroupTable();
  GroupTable(const GroupTable&) = delete;
  GroupTable& operator=(const GroupTable&) = delete;

  int add(std::unique_ptr<Group> group);  // -1 when the table is full
  void set_self(std::unique_ptr<Group> group);
  void remove(int handle);
  Group* find(int handle) const {
    const auto index = static_cast<std::uint32_t>(handle);
    if (index >= static_cast<std::uint32_t>(max_groups)) {
      return handle == self_handle ? self_.load(std::memory_order_acquire) : nullptr;
    }
    return slots_[index].load(std::memory_order_acquire);
  }
  // True if is_so(handle, group) holds for any group but the self group. No group is freed meanwhile. is_so
  // must not call the table.
  template <class IsSo>
  bool any_of(IsSo&& is_so) const {
    const std::lock_guard lock(mutex_);
    for (int handle = 0; handle < used_; ++handle) {
      const Group* const group = find(handle);
      if (group != nullptr && is_so(handle, *group)) return true;
    }
    return false;
  }

 private:
  using Slot = std::atomic<Group*>;

  Slot* const slots_;  // max_groups of them; their pages exist once they hold a group
  std::atomic<Group*> self_{nullptr};
  mutable std::mutex mutex_;
  std::vector<int> free_;
  int used_ = 0;
};

}  // namespace comex::groups
