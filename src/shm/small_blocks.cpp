#include "shm/small_blocks.h"

#include <algorithm>

#include "shm/extents.h"

namespace comex::shm {

namespace {

std::uint32_t cell_bytes_for(std::uint64_t bytes) {
  return std::max(least_cell_bytes, static_cast<std::uint32_t>(std::bit_ceil(bytes)));
}

// The first cell lies after the words of all cells.
std::uint32_t first_cell(std::uint32_t cell_bytes) {
  const std::uint64_t words = slab_bytes / cell_bytes * sizeof(std::uint32_t);
  return static_cast<std::uint32_t>(round_up(words, cell_bytes) / cell_bytes);
}

}  // namespace

Result<Extent> SmallBlocks::allocate(Worker owner, std::uint64_t bytes, std::uint64_t allocation) {
  const std::uint32_t cell_bytes = cell_bytes_for(bytes);
  const Kind kind{owner, cell_bytes};
  const std::lock_guard lock(mutex_);
  const Result<std::uint64_t> found = slab_with_free_cell(kind, allocation);
  if (!found) return Failure(found.failure());
  Slab& slab = slabs_.at(found.value());
  const std::uint64_t index = slab.free.back();
  slab.free.pop_back();
  if (slab.free.empty()) with_free_cells_[kind].pop_back();
  const std::uint64_t offset = found.value() + index * cell_bytes;
  const std::uint32_t flags = allocation == 0 ? Cell::local_bit : 0;
  auto* const words = reinterpret_cast<std::atomic<std::uint32_t>*>(extents_->place_.base + found.value());
  words[index].store(static_cast<std::uint32_t>(bytes) | flags, std::memory_order_release);
  return Extent{offset, bytes, cell_bytes, owner, allocation};
}

Result<std::uint64_t> SmallBlocks::slab_with_free_cell(const Kind& kind, std::uint64_t allocation) {
  std::vector<std::uint64_t>& with_free_cells = with_free_cells_[kind];
  if (!with_free_cells.empty()) return std::uint64_t{with_free_cells.back()};
  const auto [owner, cell_bytes] = kind;
  Result<Extent> made = extents_->allocate_pages(
      {.owner = owner, .bytes = slab_bytes, .allocation = allocation, .cell_bytes = cell_bytes});
  if (!made) return made.take_failure();
  Slab slab{owner, cell_bytes, {}};
  for (std::uint32_t cell = slab_bytes / cell_bytes; cell-- > first_cell(cell_bytes);) {
    slab.free.push_back(static_cast<std::uint16_t>(cell));
  }
  with_free_cells.push_back(made->offset);
  slabs_.emplace(made->offset, std::move(slab));
  return std::uint64_t{made->offset};
}

Status SmallBlocks::release(const Cell& cell) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t offset = cell.begin;
  if (cell.word->exchange(0, std::memory_order_acq_rel) == 0) {
    return caller_error("arena offset " + std::to_string(offset) + " is not the start of an allocation");
  }
  auto found = slabs_.upper_bound(offset);
  const bool is_own = found != slabs_.begin() && offset - (--found)->first < slab_bytes;
  if (!is_own) return {};  // the slab of another process, which has died; its cells are not reused
  Slab& slab = found->second;
  const Kind kind{slab.owner, slab.cell_bytes};
  std::vector<std::uint64_t>& with_free_cells = with_free_cells_[kind];
  if (slab.free.empty()) with_free_cells.push_back(found->first);
  slab.free.push_back(static_cast<std::uint16_t>((offset - found->first) / slab.cell_bytes));
  const bool is_empty = slab.free.size() == slab_bytes / slab.cell_bytes - first_cell(slab.cell_bytes);
  if (is_empty && with_free_cells.size() > 1) {
    const std::uint64_t gone = found->first;
    std::erase(with_free_cells, gone);
    slabs_.erase(found);
    extents_->release_slab(gone);
  }
  return {};
}

}  // namespace comex::shm
