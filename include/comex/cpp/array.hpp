// Memory of all members of a group, and of one worker. Included by comex.hpp.
#pragma once

#include <comex/cpp/concepts.hpp>
#include <comex/cpp/group.hpp>
#include <comex/cpp/pointer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace comex {

// A distributed array: each member of a group holds a part of it, in memory that all others reach. Making and
// destroying it is collective over the group, which outlives it and is no inter-group. The elements are not
// initialized; parts are aligned to 64 bytes at least.
template <writable T>
class array {
 public:
  array() noexcept = default;
  // `count` elements on each rank; every member gives the same count. `device`: NULL, "dram", "hbm",
  // "numa:N".
  array(const group& over, std::size_t count, const char* device = nullptr)
      : array(over, std::vector<std::size_t>(static_cast<std::size_t>(over.size()), count), device) {}
  // counts[r] elements on rank r, 0 allowed; every member gives the same counts, one for each rank.
  array(const group& over, std::vector<std::size_t> counts, const char* device = nullptr)
      : group_(over.handle()), me_(over.rank()), counts_(std::move(counts)) {
    if (me_ < 0) throw std::invalid_argument("comex::array: the caller is not a member of the group");
    if (counts_.size() != static_cast<std::size_t>(over.size()))
      throw std::length_error("comex::array: the counts are not one for each rank");
    if (std::ranges::max(counts_) > SIZE_MAX / sizeof(T))  // on all members alike
      throw std::length_error("comex::array: there is no room for so many");
    const std::size_t bytes = counts_[static_cast<std::size_t>(me_)] * sizeof(T);
    parts_.resize(counts_.size());
    const int code = device == nullptr ? comex_malloc(parts_.data(), bytes, group_)
                                       : comex_malloc_mem_dev(parts_.data(), bytes, group_, device);
    if (code != COMEX_SUCCESS) [[unlikely]]
      detail::fail({.name = "malloc", .group = group_, .bytes = bytes}, code);
  }
  array(array&& other) noexcept { swap(other); }
  array& operator=(array&& other) noexcept {
    array(std::move(other)).swap(*this);
    return *this;
  }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  ~array() {
    if (!parts_.empty() && !passing_ && !life_.is_over())
      comex_free(parts_[static_cast<std::size_t>(me_)], group_);
  }
  // Collective, as the destructor, and throws: earlier writes that were refused are told here at the latest.
  void free() {
    if (parts_.empty()) return;
    void* const mine = parts_[static_cast<std::size_t>(me_)];
    parts_.clear();
    counts_.clear();
    detail::check(comex_free(mine, group_), {.name = "free", .group = group_});
  }

  // The caller's writes to all parts are there for everybody.
  void fence() const {
    if (parts_.empty()) return;
    detail::check(comex_fence_allocation(parts_[static_cast<std::size_t>(me_)], group_),
                  {.name = "fence_allocation", .group = group_});
  }

  comex_group_t group_handle() const noexcept { return group_; }
  int rank() const noexcept { return me_; }
  int ranks() const noexcept { return static_cast<int>(counts_.size()); }
  // The number of elements of a rank. It throws std::out_of_range for what is no rank, as do the next ones.
  std::size_t count(int rank) const { return counts_.at(static_cast<std::size_t>(rank)); }

  global_ptr<T> ptr(int rank, std::size_t index = 0) const {
    T* const first = static_cast<T*>(parts_.at(static_cast<std::size_t>(rank)));
    return {first + index, rank, group_};
  }
  global_span<T> part(int rank) const { return {ptr(rank), count(rank)}; }
  // The caller's own part, for loads and stores.
  std::span<T> local() const {
    if (parts_.empty()) return {};
    return {static_cast<T*>(parts_[static_cast<std::size_t>(me_)]), counts_[static_cast<std::size_t>(me_)]};
  }

 private:
  void swap(array& other) noexcept {
    std::swap(group_, other.group_);
    std::swap(me_, other.me_);
    parts_.swap(other.parts_);
    counts_.swap(other.counts_);
    std::swap(life_, other.life_);
  }

  comex_group_t group_ = COMEX_GROUP_NULL;
  int me_ = detail::no_target;
  std::vector<void*> parts_;  // by rank; empty: nothing is allocated
  std::vector<std::size_t> counts_;
  detail::life life_;
  detail::passing_exception passing_;
};

// Memory of the calling worker that others reach once they know the pointer. Not collective, not initialized.
template <writable T>
class buffer {
 public:
  // Throws std::bad_alloc where there is no room, and the program may go on.
  explicit buffer(std::size_t count) : size_(count) {
    detail::check(comex_group_rank(COMEX_GROUP_WORLD, &me_), {.name = "malloc_local"});
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    at_ = static_cast<T*>(comex_malloc_local(count * sizeof(T)));
    if (at_ == nullptr && count != 0) throw std::bad_alloc();
  }
  buffer(buffer&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        me_(other.me_),
        life_(other.life_) {}
  buffer& operator=(buffer&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(size_, other.size_);
    std::swap(me_, other.me_);
    std::swap(life_, other.life_);
    return *this;
  }
  ~buffer() {
    if (!life_.is_over()) comex_free_local(at_);
  }

  std::span<T> local() const noexcept { return {at_, size_}; }
  // In the world group. Its bytes may be sent to others, whose pointer means the same.
  global_span<T> part() const noexcept { return {{at_, me_}, size_}; }

 private:
  T* at_ = nullptr;
  std::size_t size_ = 0;
  int me_ = detail::no_target;
  detail::life life_;
};

}  // namespace comex
