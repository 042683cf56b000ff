// A MirroredPart lies behind each part of kept memory, out of the reach of programs. It says where the
// mirrors of the part are, and which of its blocks were written since they were last sent there.
//
// Who writes to the part marks the blocks afterwards, from any process of the host. The progress rank of the
// owner takes the marks and then reads the blocks, so that what is written meanwhile is marked again. No lock
// is needed, and a writer may die at any moment. Placed by Extents; filled by runtime/kept.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/ids.h"
#include "shm/geometry.h"

namespace comex::shm {

class MirroredPart {
 public:
  static constexpr std::uint64_t block_bytes = 1024;
  static constexpr std::uint32_t most_copies = 7;
  struct Mirror {
    Worker worker = 0;  // in whose memory it lies
    std::uint32_t spare = 0;
    std::uint64_t address = 0;  // on that worker's host
  };
  struct Blocks {  // of a part, in bytes
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  // What is needed behind a part, whose end is rounded up to `alignment`.
  static constexpr std::uint64_t alignment = 64;
  static constexpr std::uint64_t bytes_behind(std::uint64_t part_bytes) {
    return alignment + sizeof(MirroredPart) + blocks_of(part_bytes);
  }
  static constexpr std::uint64_t offset_behind(std::uint64_t part_bytes) {
    return round_up(part_bytes, alignment);
  }

  // Called once, before others see the part. Nothing is marked then.
  void format(std::uint64_t part_bytes);
  void add_mirror(const Mirror& mirror) { mirrors_[copies_++] = mirror; }

  std::uint32_t copies() const { return copies_; }
  const Mirror& mirror(std::uint32_t copy) const { return mirrors_[copy]; }

  // Call it after the bytes were written.
  void mark(std::uint64_t offset, std::uint64_t bytes);
  // Whether something was marked since the last call.
  bool take_dirty() { return is_dirty_.exchange(0, std::memory_order_acq_rel) != 0; }
  // Looks at no more than `blocks` blocks from `next` on, which is moved behind what was looked at. Takes the
  // marks of the first marked ones in a row; none: 0 bytes.
  Blocks take_marked(std::uint64_t& next, std::uint64_t blocks);
  bool is_end(std::uint64_t next) const { return next >= blocks_of(bytes_); }

 private:
  using Mark = std::atomic<std::uint8_t>;
  static constexpr std::uint64_t blocks_of(std::uint64_t bytes) {
    return (bytes + block_bytes - 1) / block_bytes;
  }
  Mark* marks() { return reinterpret_cast<Mark*>(this + 1); }

  std::atomic<std::uint32_t> is_dirty_;
  std::uint32_t copies_;
  std::uint64_t bytes_;
  Mirror mirrors_[most_copies];
};
static_assert(sizeof(MirroredPart) == 128);

}  // namespace comex::shm
