// Walks the target's side of one put, get or accumulate in packed order, in pieces of any size.
//
// A patch and a list of segments are walked alike. Bounds were checked before it is made; it points into the
// message of the payload. Used by inline requests and by transfers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/patch.h"
#include "kernels/striped_accumulate.h"
#include "pr/payload.h"
#include "shm/arena.h"
#include "shm/locks/block_locks.h"

namespace comex::pr {

class TargetCursor {
 public:
  TargetCursor(const Payload& payload, std::byte* arena_base);

  void skip(std::uint64_t bytes);  // from the start

  // Each moves on by what it did. That is all of `bytes`, but try_accumulate() stops at the first busy
  // stripe. `bytes` must not go beyond the end.
  void scatter(const std::byte* packed, std::uint64_t bytes);
  void gather(std::byte* packed, std::uint64_t bytes);
  std::uint64_t try_accumulate(shm::BlockLocks& locks, const kernels::Accumulation& accumulation,
                               const std::byte* packed, std::uint64_t bytes);

 private:
  struct Piece {
    std::uint64_t offset = 0;  // in the arena
    std::uint64_t bytes = 0;
  };
  Piece next_piece(std::uint64_t max_bytes) const;
  bool is_vector() const { return offsets_ != nullptr; }

  const std::byte* offsets_;  // vector: in the message
  std::uint32_t segment_bytes_;
  std::uint64_t low_;
  std::byte* base_;
  RunCursor cursor_;
  std::uint64_t position_ = 0;  // vector: packed bytes that are done
};

}  // namespace comex::pr
