// Small blocks share pages: an extent of one owner, the slab, is cut into cells of one size.
//
// The slab begins with a word for each cell, which holds the length of its block and whether it lives. So the
// bounds check of a small block is as exact and as lock-free as that of a large one. Only the owner knows
// which cells are free, in private memory, so that allocating takes no lock of the host. Part of Extents.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "core/ids.h"
#include "core/status.h"
#include "shm/extent_chain.h"

namespace comex::shm {

class Extents;

inline constexpr std::uint64_t slab_bytes = 64 * 1024;
inline constexpr std::uint32_t least_cell_bytes = 64;      // every block begins at a multiple of this
inline constexpr std::uint32_t largest_cell_bytes = 2048;  // a page holds only one of a longer block

// A snapshot of one cell of a slab.
struct Cell {
  std::atomic<std::uint32_t>* word = nullptr;  // length:16 | retired:1 | local:1; 0: free
  std::uint32_t value = 0;
  std::uint64_t begin = 0;       // arena offset of its first byte
  std::uint64_t into = 0;        // distance from the first byte
  std::uint32_t cell_bytes = 0;  // bytes of the cell

  static constexpr std::uint32_t length_mask = 0xffff;
  static constexpr std::uint32_t retired_bit = 1u << 16;
  static constexpr std::uint32_t local_bit = 1u << 17;
  std::uint64_t bytes() const { return value & length_mask; }
  bool is_live() const { return value != 0 && (value & retired_bit) == 0; }
  bool is_retired() const { return (value & retired_bit) != 0; }
  bool is_local() const { return (value & local_bit) != 0; }
};

// The cell at an offset of the arena that begins at base; none if `record` is not of a slab there.
inline std::optional<Cell> cell_at(std::byte* base, const ExtentRecord& record, std::uint64_t offset) {
  const std::uint32_t cell_bytes = record.cell_bytes.load(std::memory_order_acquire);
  const std::uint64_t slab = record.offset.load(std::memory_order_acquire);
  if (cell_bytes == 0 || offset - slab >= slab_bytes) return std::nullopt;
  const std::uint64_t index = (offset - slab) >> std::countr_zero(cell_bytes);
  Cell cell;
  cell.word = reinterpret_cast<std::atomic<std::uint32_t>*>(base + slab) + index;
  cell.value = cell.word->load(std::memory_order_acquire);
  cell.begin = slab + index * cell_bytes;
  cell.into = offset - cell.begin;
  cell.cell_bytes = cell_bytes;
  return cell;
}

// The owner's side, private to one process.
class SmallBlocks {
 public:
  explicit SmallBlocks(Extents& extents) : extents_(&extents) {}

  static bool takes(std::uint64_t bytes) { return bytes <= largest_cell_bytes; }
  Result<Extent> allocate(Worker owner, std::uint64_t bytes, std::uint64_t allocation);
  Status release(const Cell& cell);  // of a retired or live cell

 private:
  struct Slab {
    Worker owner = 0;
    std::uint32_t cell_bytes = 0;
    std::vector<std::uint16_t> free;  // cells; the last is used next
  };
  using Kind = std::pair<Worker, std::uint32_t>;  // owner, size of cells

  Result<std::uint64_t> slab_with_free_cell(const Kind& kind, std::uint64_t allocation);

  Extents* extents_;
  std::mutex mutex_;
  std::map<std::uint64_t, Slab> slabs_;                         // by arena offset
  std::map<Kind, std::vector<std::uint64_t>> with_free_cells_;  // slabs that have free cells
};

}  // namespace comex::shm
