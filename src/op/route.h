// Decides whether an operation goes straight into shared memory or to the server of its target.
//
// The router is pure; it is made of the rows of the world and the switches. A direct operation costs two
// loads. The C calls use it after validation.
#pragma once

#include "core/activity.h"
#include "core/ids.h"
#include "core/operation.h"
#include "core/settings.h"
#include "groups/directory.h"

namespace comex::op {

// The kind under which an operation is counted, and its direct path switched off.
constexpr activity::Kind kind_of(Action action) {
  static_assert(static_cast<int>(Action::put) == static_cast<int>(activity::Kind::put) &&
                static_cast<int>(Action::get) == static_cast<int>(activity::Kind::get) &&
                static_cast<int>(Action::acc) == static_cast<int>(activity::Kind::acc));
  return static_cast<activity::Kind>(action);
}

class Router {
 public:
  Router(const groups::Directory& world, Worker me, const Settings& settings);

  bool is_direct(activity::Kind kind, Worker target) const {
    if (world_->place(target).host != my_host_) return false;
    const std::uint8_t bit = static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
    return ((target == me_ ? self_ : same_host_) & bit) != 0;
  }
  // The memory belongs to another world and is in this address space.
  bool is_direct_to_guest(activity::Kind kind) const {
    return (same_host_ & (1u << static_cast<unsigned>(kind))) != 0;
  }
  // Operations of every kind on this same-host memory are direct. No operation of this worker can then be
  // under way to it, and loads and stores are all there is to do.
  bool is_plain(const groups::WorkerPlace& place) const { return place.host == plain_host_; }
  // Some kind of operations on same-host memory goes through a server: direct operations may have to fence
  // first.
  bool is_mixed() const { return is_mixed_; }
  const groups::Directory& world() const { return *world_; }
  Worker me() const { return me_; }

 private:
  const groups::Directory* world_;
  Worker me_;
  std::uint32_t my_host_;
  std::uint32_t plain_host_ = UINT32_MAX;  // the own host, unless is_mixed_
  std::uint8_t self_ = 0;                  // one bit for each kind that is direct
  std::uint8_t same_host_ = 0;
  bool is_mixed_ = false;
};

}  // namespace comex::op
