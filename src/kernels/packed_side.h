// Walks one side of a put, get or accumulate in packed order, in pieces of any size.
//
// The side is contiguous memory, a patch, or a list of segments; it is at the origin or in the target's
// arena. A PackedSide is a value with its own position. The memory and the list must stay in place, and their
// bounds were checked before it is made. op/remote and pr use it for every body and every reply.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/patch.h"
#include "kernels/striped_accumulate.h"

namespace comex::kernels {

class PackedSide {
 public:
  PackedSide() = default;
  static PackedSide of_bytes(std::byte* first) { return {Kind::bytes, first, 0}; }
  // The patch begins `first` bytes behind `base`.
  static PackedSide of_patch(std::byte* base, std::uint64_t first, const Patch& patch, Side side) {
    PackedSide made(Kind::patch, base, first);
    made.cursor_ = RunCursor(patch);
    made.side_ = side;
    return made;
  }
  // `places`: for each segment how far it begins behind `base`, in words of 8 bytes that may be unaligned;
  // without a base, their addresses.
  static PackedSide of_segments(std::byte* base, const void* places, std::uint64_t segment_bytes) {
    PackedSide made(Kind::segments, base, 0);
    made.places_ = static_cast<const std::byte*>(places);
    made.segment_bytes_ = segment_bytes;
    return made;
  }

  // Returns the next byte of contiguous memory, or null for other memory.
  std::byte* contiguous() const { return kind_ == Kind::bytes ? at(first_) : nullptr; }
  // Moves on without touching the memory; in a patch only from its start.
  void skip(std::uint64_t bytes) {
    if (kind_ == Kind::bytes) {
      first_ += bytes;
    } else if (kind_ == Kind::patch) {
      if (bytes != 0) cursor_.seek(bytes);
    } else {
      segment_ += (in_segment_ + bytes) / segment_bytes_;
      in_segment_ = (in_segment_ + bytes) % segment_bytes_;
    }
  }

  // Each moves on by what it did. That is all of `bytes`, but try_accumulate() stops at the first busy
  // stripe. `bytes` must not go beyond the end.
  void gather(std::byte* packed, std::uint64_t bytes) { move(packed, bytes); }
  void scatter(const std::byte* packed, std::uint64_t bytes) { move(packed, bytes); }
  template <BlockGuard Guard>  // of the arena that begins at the base
  std::uint64_t try_accumulate(Guard& guard, const Accumulation& accumulation, const std::byte* packed,
                               std::uint64_t bytes) {
    if (kind_ == Kind::patch)
      return try_accumulate_packed(guard, cursor_, {at(first_), first_}, packed, bytes, accumulation);
    std::uint64_t done = 0;
    while (done < bytes) {
      const Piece piece = next_piece(bytes - done);
      const std::uint64_t now =
          try_accumulate_run(guard, {at(piece.place), piece.place}, packed + done, piece.bytes, accumulation);
      advance(now);
      done += now;
      if (now != piece.bytes) break;
    }
    return done;
  }

 private:
  enum class Kind : unsigned char { bytes, patch, segments };
  struct Piece {
    std::uint64_t place;  // behind the base
    std::uint64_t bytes;
  };
  PackedSide(Kind kind, std::byte* base, std::uint64_t first)
      : kind_(kind), base_(reinterpret_cast<std::uintptr_t>(base)), first_(first) {}

  std::byte* at(std::uint64_t place) const { return reinterpret_cast<std::byte*>(base_ + place); }
  Piece next_piece(std::uint64_t most) const {
    if (kind_ == Kind::bytes) return {first_, most};
    std::uint64_t place = 0;
    std::memcpy(&place, places_ + segment_ * sizeof place, sizeof place);
    return {place + in_segment_, std::min(most, segment_bytes_ - in_segment_)};
  }
  void advance(std::uint64_t bytes) {  // over a piece, or a part of it
    if (kind_ == Kind::bytes) {
      first_ += bytes;
    } else if ((in_segment_ += bytes) == segment_bytes_) {
      in_segment_ = 0;
      ++segment_;
    }
  }
  template <class Packed>  // constant bytes are scattered, others are gathered
  void move(Packed* packed, std::uint64_t bytes);

  Kind kind_ = Kind::bytes;
  Side side_ = Side::near;
  std::uintptr_t base_ = 0;
  std::uint64_t first_ = 0;  // behind the base: the patch, or the next of contiguous bytes
  const std::byte* places_ = nullptr;
  std::uint64_t segment_bytes_ = 0;
  std::uint64_t segment_ = 0;  // the next one
  std::uint64_t in_segment_ = 0;
  RunCursor cursor_;
};

}  // namespace comex::kernels
