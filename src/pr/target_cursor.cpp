#include "pr/target_cursor.h"

#include <algorithm>

#include "kernels/copy.h"

namespace comex::pr {

TargetCursor::TargetCursor(const Payload& payload, std::byte* arena_base)
    : offsets_(payload.offsets),
      segment_bytes_(payload.segment_bytes),
      low_(payload.low),
      base_(arena_base),
      cursor_(payload.patch) {}

void TargetCursor::skip(std::uint64_t bytes) {
  position_ = bytes;
  if (!is_vector() && bytes != 0) cursor_.seek(bytes);
}

TargetCursor::Piece TargetCursor::next_piece(std::uint64_t max_bytes) const {
  const std::uint64_t into = position_ % segment_bytes_;
  const std::uint64_t offset = Payload::offset_at(offsets_, position_ / segment_bytes_) + into;
  return {offset, std::min(max_bytes, segment_bytes_ - into)};
}

void TargetCursor::scatter(const std::byte* packed, std::uint64_t bytes) {
  if (!is_vector()) {
    kernels::scatter(cursor_, Side::far, base_ + low_, packed, bytes);
    return;
  }
  while (bytes != 0) {
    const Piece piece = next_piece(bytes);
    kernels::copy_bytes(base_ + piece.offset, packed, piece.bytes);
    position_ += piece.bytes;
    packed += piece.bytes;
    bytes -= piece.bytes;
  }
}

void TargetCursor::gather(std::byte* packed, std::uint64_t bytes) {
  if (!is_vector()) {
    kernels::gather(cursor_, Side::far, base_ + low_, packed, bytes);
    return;
  }
  while (bytes != 0) {
    const Piece piece = next_piece(bytes);
    kernels::copy_bytes(packed, base_ + piece.offset, piece.bytes);
    position_ += piece.bytes;
    packed += piece.bytes;
    bytes -= piece.bytes;
  }
}

std::uint64_t TargetCursor::try_accumulate(shm::BlockLocks& locks, const kernels::Accumulation& accumulation,
                                           const std::byte* packed, std::uint64_t bytes) {
  if (!is_vector()) {
    const kernels::FarMemory far{base_ + low_, low_};
    return kernels::try_accumulate_packed(locks, cursor_, far, packed, bytes, accumulation);
  }
  std::uint64_t done = 0;
  while (done < bytes) {
    const Piece piece = next_piece(bytes - done);
    const std::uint64_t now = kernels::try_accumulate_run(locks, {base_ + piece.offset, piece.offset},
                                                          packed + done, piece.bytes, accumulation);
    position_ += now;
    done += now;
    if (now != piece.bytes) break;
  }
  return done;
}

}  // namespace comex::pr
