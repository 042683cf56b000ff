// The stride iterator. A null patch, a count of 0 or invalid levels give a walk without segments.
#include <algorithm>
#include <limits>

#include "armci/state.h"
#include "flavour.h"

namespace {

std::ptrdiff_t offset_of(const stride_info_t* info) {
  std::ptrdiff_t offset = 0;
  int left = info->pos;
  for (int level = 0; level < info->stride_levels; ++level) {
    const int count = info->counts[level + 1];
    offset += std::ptrdiff_t{left % count} * info->strides[level];
    left /= count;
  }
  return offset;
}

}  // namespace

COMEX_C void armci_stride_info_init(stride_info_t* info, void* base, int stride_levels, const int* strides,
                                    const int* counts) {
  const comex::runtime::CallName called(__func__);
  if (stride_levels < 0 || stride_levels > COMEX_ITERATOR_MAX_LEVEL) {
    comex_error("a stride iterator has 0 to 8 levels", stride_levels);
  }
  *info = {};
  info->base_ptr = static_cast<char*>(base);
  info->stride_levels = stride_levels;
  std::copy_n(strides, stride_levels, info->strides);
  std::copy_n(counts, stride_levels + 1, info->counts);
  constexpr long too_many = std::numeric_limits<int>::max() + 1L;
  long size = 1;
  for (int level = 1; level <= stride_levels; ++level)
    size = std::min(size * std::max(counts[level], 0), too_many);
  if (size == too_many) comex_error("a stride iterator counts its segments in an int", 1);
  info->size = static_cast<int>(size);
}

COMEX_C void armci_stride_info_destroy(stride_info_t* info) {
  *info = {};
}

COMEX_C int armci_stride_info_count(stride_info_t* info) {
  return info->size;
}

COMEX_C int armci_stride_info_size(stride_info_t* info) {
  return info->size;
}

COMEX_C int armci_stride_info_pos(stride_info_t* info) {
  return info->pos;
}

COMEX_C void armci_stride_info_next(stride_info_t* info) {
  if (info->pos < info->size) ++info->pos;
}

COMEX_C int armci_stride_info_has_more(stride_info_t* info) {
  return info->pos < info->size ? 1 : 0;
}

COMEX_C char* armci_stride_info_seg_ptr(stride_info_t* info) {
  return armci_stride_info_has_more(info) == 0 ? nullptr : info->base_ptr + offset_of(info);
}

COMEX_C int armci_stride_info_seg_size(stride_info_t* info) {
  return info->counts[0];
}

COMEX_C int armci_stride_info_seg_off(stride_info_t* info) {
  return armci_stride_info_has_more(info) == 0 ? 0 : static_cast<int>(offset_of(info));
}
