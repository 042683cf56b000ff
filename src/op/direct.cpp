#include "op/direct.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "kernels/atomics.h"
#include "kernels/scattered_accumulate.h"
#include "kernels/striped_accumulate.h"
#include "shm/locks/block_locks.h"

namespace comex::op {

Direct::Direct(shm::Arena& arena)
    : arena_(&arena), extents_(&arena.extents()), stripes_(&arena.stripes()), base_(arena.base()) {
  for (unsigned scalar = 1; scalar < scalar_kinds; ++scalar) {
    kernels_[scalar] = kernels::accumulate_kernel(static_cast<Scalar>(scalar), Combine::sum);
  }
}

shm::BoundsCheck Direct::check_all(const Operation& operation, const groups::WorkerPlace& place) const {
  const auto target = operation.target;
  if (operation.layout != protocol::Layout::vector) {
    return check(target, offset_of(place, operation.far), operation.patch.far_extent_bytes());
  }
  const Scatter& scatter = operation.scatter;
  if (covers_range_of(scatter, place, target)) return {};
  for (std::uint64_t i = 0; i < scatter.count; ++i) {
    const shm::BoundsCheck checked = check(target, offset_of(place, scatter.far[i]), scatter.bytes);
    if (!checked) return checked;
  }
  return {};
}

// Mostly all segments lie in one extent: then the range from the lowest to the highest lies in it too.
bool Direct::covers_range_of(const Scatter& scatter, const groups::WorkerPlace& place, Worker target) const {
  std::uint64_t low = UINT64_MAX;
  std::uint64_t high = 0;
  for (std::uint64_t i = 0; i < scatter.count; ++i) {
    const auto address = reinterpret_cast<std::uint64_t>(scatter.far[i]);
    low = std::min(low, address);
    high = std::max(high, address);
  }
  std::uint64_t range = 0;
  return low <= high && !__builtin_add_overflow(high - low, scatter.bytes, &range) &&
         extents_->covers(target, low - place.base, range);
}

shm::BoundsCheck Direct::run(const Operation& operation, const groups::WorkerPlace& place,
                             bool& recovered) const {
  const shm::BoundsCheck checked = check_all(operation, place);
  if (!checked) return checked;
  if (operation.action == Action::acc) {
    accumulate(operation, place, recovered);
    note_written(operation, place);
    return checked;
  }
  const bool is_put = operation.action == Action::put;
  if (operation.layout == protocol::Layout::vector) {
    const Scatter& scatter = operation.scatter;
    const kernels::Segments near{scatter.near, 0};
    const kernels::Segments far{scatter.far, reinterpret_cast<std::uintptr_t>(base_) - place.base};
    kernels::copy_segments(is_put ? far : near, is_put ? near : far, scatter.bytes, scatter.count);
  } else if (is_put) {
    kernels::copy_near_to_far(operation.patch, operation.near, base_ + checked.offset);
  } else {
    kernels::copy_far_to_near(operation.patch, base_ + checked.offset, operation.near);
  }
  if (is_put) {
    note_written(operation, place);
  } else {
    std::atomic_thread_fence(std::memory_order_acquire);  // a later get sees what was there before this
  }
  return checked;
}

void Direct::note_kept_write(std::uint64_t offset, std::uint64_t bytes) const {
  if (extents_->note_written(offset, bytes)) kept_writes_.fetch_add(1, std::memory_order_release);
}

void Direct::note_written(const Operation& operation, const groups::WorkerPlace& place) const {
  if (!extents_->has_mirrored()) [[likely]]
    return;
  if (operation.layout == protocol::Layout::vector) {
    const Scatter& scatter = operation.scatter;
    for (std::uint64_t i = 0; i < scatter.count; ++i)
      note_kept_write(offset_of(place, scatter.far[i]), scatter.bytes);
    return;
  }
  const std::uint64_t begin = offset_of(place, operation.far);
  for_each_far_run(operation.patch,
                   [&](std::uint64_t at, std::uint64_t bytes) { note_kept_write(begin + at, bytes); });
}

void Direct::accumulate(const Operation& operation, const groups::WorkerPlace& place, bool& recovered) const {
  shm::BlockLocks locks(*stripes_);
  const kernels::Accumulation accumulation =
      kernels::make_accumulation(operation.scalar, operation.scale, operation.combine);
  const auto memory = [&](const void* far) {
    const std::uint64_t offset = offset_of(place, far);
    return kernels::FarMemory{base_ + offset, offset};
  };
  if (operation.layout == protocol::Layout::vector) {
    kernels::accumulate_segments(locks, operation.scatter, memory, accumulation);
  } else {
    kernels::accumulate_patch(locks, operation.patch, memory(operation.far), operation.near, accumulation);
  }
  recovered |= locks.is_recovered();
}

bool Direct::try_acc(const groups::WorkerPlace& place, Worker target, const Scaling& scaling,
                     const ContiguousSides& sides, bool& recovered) const {
  const std::uint64_t offset = offset_of(place, sides.far);
  if (!extents_->covers(target, offset, sides.bytes)) return false;
  kernels::Accumulation accumulation;
  if (scaling.combine == Combine::sum) [[likely]] {
    accumulation.kernel = kernels_[static_cast<unsigned>(scaling.scalar)];
  } else {
    accumulation.kernel = kernels::accumulate_kernel(scaling.scalar, scaling.combine);
  }
  accumulation.element_bytes = scalar_bytes(scaling.scalar);
  std::memcpy(accumulation.scale.bytes, scaling.factor, accumulation.element_bytes);
  shm::BlockLocks locks(*stripes_);
  kernels::accumulate_run(locks, {base_ + offset, offset}, static_cast<const std::byte*>(sides.near),
                          sides.bytes, accumulation);
  recovered |= locks.is_recovered();
  note_written(offset, sides.bytes);
  return true;
}

}  // namespace comex::op
