// Groups of workers. Included by comex.hpp.
#pragma once

#include <comex/worlds.h>
#include <comex/cpp/error.hpp>

#include <span>
#include <utility>
#include <vector>

namespace comex {

// A handle of a group. It owns the group if it has made it: its destructor then frees the group, which is
// collective over the members. The world, and what view() gives, are not owned. A default-made group is null,
// as is what a process gets that is outside a group which it helped to make.
class group {
 public:
  group() noexcept = default;
  group(group&& other) noexcept { swap(other); }
  group& operator=(group&& other) noexcept {
    group(std::move(other)).swap(*this);
    return *this;
  }
  group(const group&) = delete;
  group& operator=(const group&) = delete;
  ~group() {
    if (is_owner_ && !passing_ && !life_.is_over()) comex_group_free(handle_);
  }

  // All workers, and the calling worker alone.
  static group world() noexcept { return view(COMEX_GROUP_WORLD); }
  static group self() noexcept { return view(COMEX_GROUP_SELF); }
  // A handle of the C interface, which stays its maker's; or one that is freed from now on.
  static group view(comex_group_t handle) noexcept { return group(handle, false); }
  static group adopt(comex_group_t handle) noexcept { return group(handle, handle != COMEX_GROUP_NULL); }

  comex_group_t handle() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != COMEX_GROUP_NULL; }
  // The handle is the caller's to free.
  comex_group_t release() noexcept {
    is_owner_ = false;
    return std::exchange(handle_, COMEX_GROUP_NULL);
  }

  // The caller's rank, and the number of members. A null group has rank -1 and size 0.
  int rank() const {
    int rank = -1;
    detail::check(comex_group_rank(handle_, &rank), {.name = "group_rank", .group = handle_});
    return rank;
  }
  int size() const {
    int size = 0;
    detail::check(comex_group_size(handle_, &size), {.name = "group_size", .group = handle_});
    return size;
  }
  // For the program's own collectives. It is the library's, and lives as long as the group.
  MPI_Comm comm() const {
    MPI_Comm comm = MPI_COMM_NULL;
    detail::check(comex_group_comm(handle_, &comm), {.name = "group_comm", .group = handle_});
    return comm;
  }
  // The number of the host on which a rank runs. Ranks of one number share memory.
  int host_of(int rank) const {
    int host = 0;
    detail::check(comex_host_of(rank, handle_, &host), {.name = "host_of", .target = rank, .group = handle_});
    return host;
  }
  // The rank in `to` of a rank of this group, or MPI_UNDEFINED if it is no member there.
  int translate(int rank, const group& to) const {
    int there = MPI_UNDEFINED;
    detail::check(comex_group_translate_ranks(1, handle_, &rank, to.handle_, &there),
                  {.name = "group_translate_ranks", .target = rank, .group = handle_});
    return there;
  }

  // Collective over the members named, in the order of the new ranks. Others may call it, and get null.
  group create(std::span<const int> ranks) const {
    std::vector<int> list(ranks.begin(), ranks.end());
    comex_group_t made = COMEX_GROUP_NULL;
    detail::check(comex_group_create(static_cast<int>(list.size()), list.data(), handle_, &made),
                  {.name = "group_create", .group = handle_});
    return adopt(made);
  }
  // Collective. Members of one color (>= 0) form a part, ordered by key, then by rank; MPI_UNDEFINED: null.
  group split(int color, int key = 0) const {
    comex_group_t part = COMEX_GROUP_NULL;
    detail::check(comex_group_split(handle_, color, key, &part), {.name = "group_split", .group = handle_});
    return adopt(part);
  }
  // Collective. The same members, in a group of their own.
  group duplicate() const {
    comex_group_t dup = COMEX_GROUP_NULL;
    detail::check(comex_group_dup(handle_, &dup), {.name = "group_dup", .group = handle_});
    return adopt(dup);
  }

  // Collective: every member's writes to every member are there, and all members have come.
  void barrier() const { detail::check(comex_barrier(handle_), {.name = "barrier", .group = handle_}); }
  // The caller's writes to all members, or to one, are there for everybody.
  void fence() const { detail::check(comex_fence_all(handle_), {.name = "fence_all", .group = handle_}); }
  void fence(int rank) const {
    detail::check(comex_fence_proc(rank, handle_), {.name = "fence_proc", .target = rank, .group = handle_});
  }
  // The caller's requests to all members, or to one, are complete locally; futures are ready then.
  void wait() const { detail::check(comex_wait_all(handle_), {.name = "wait_all", .group = handle_}); }
  void wait(int rank) const {
    detail::check(comex_wait_proc(rank, handle_), {.name = "wait_proc", .target = rank, .group = handle_});
  }

 private:
  group(comex_group_t handle, bool is_owner) noexcept : handle_(handle), is_owner_(is_owner) {}
  void swap(group& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(is_owner_, other.is_owner_);
    std::swap(life_, other.life_);
  }

  comex_group_t handle_ = COMEX_GROUP_NULL;
  bool is_owner_ = false;
  detail::life life_;
  detail::passing_exception passing_;
};

}  // namespace comex
