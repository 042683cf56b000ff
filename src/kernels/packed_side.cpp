#include "kernels/packed_side.h"

#include <type_traits>

#include "kernels/copy.h"

namespace comex::kernels {

template <class Packed>
void PackedSide::move(Packed* packed, std::uint64_t bytes) {
  constexpr bool scatters = std::is_const_v<Packed>;
  while (kind_ == Kind::patch && bytes != 0 && !cursor_.done()) {
    const Rows rows = cursor_.next_rows(bytes);
    const auto packed_stride = static_cast<std::int64_t>(rows.bytes);
    const bool is_near = side_ == Side::near;
    std::byte* const place = at(first_ + (is_near ? rows.near_offset : rows.far_offset));
    const std::int64_t stride = is_near ? rows.near_stride : rows.far_stride;
    if constexpr (scatters) {
      copy_rows(place, stride, packed, packed_stride, rows.bytes, rows.count);
    } else {
      copy_rows(packed, packed_stride, place, stride, rows.bytes, rows.count);
    }
    packed += rows.total_bytes();
    bytes -= rows.total_bytes();
  }
  while (kind_ != Kind::patch && bytes != 0) {
    const Piece piece = next_piece(bytes);
    if constexpr (scatters) {
      copy_bytes(at(piece.place), packed, piece.bytes);
    } else {
      copy_bytes(packed, at(piece.place), piece.bytes);
    }
    advance(piece.bytes);
    packed += piece.bytes;
    bytes -= piece.bytes;
  }
}

template void PackedSide::move(std::byte*, std::uint64_t);
template void PackedSide::move(const std::byte*, std::uint64_t);

}  // namespace comex::kernels
