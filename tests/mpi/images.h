// Operations of many shapes whose near and far sides are images of the same layout, and what they do
// to a plain copy: for checks of order, where only the sequence of operations is in question.
#pragma once

#include <cstddef>
#include <vector>

#include "mpi/job.h"

namespace comex::testing {

constexpr std::size_t image_words = 40 * 1024;  // 320 KiB: more than a chunk
using Image = std::vector<long>;

// Words of an image: `rows` runs of `run` words, `stride` words apart.
struct Shape {
  enum class Layout { contiguous, strided, vector };
  const char* name;
  Layout layout;
  int first;
  int run;
  int rows;
  int stride;

  template <class Do>
  void for_each_word(Do&& act) const {
    for (int row = 0; row < rows; ++row) {
      for (int word = 0; word < run; ++word) act(static_cast<std::size_t>(first + row * stride + word));
    }
  }
};

// Small ones travel in one message, large ones in chunks; all overlap all.
inline const std::vector<Shape>& shapes() {
  using Layout = Shape::Layout;
  static const std::vector<Shape> all = {
      {"word", Layout::contiguous, 1200, 1, 1, 0},
      {"small", Layout::contiguous, 1190, 100, 1, 0},
      {"whole message", Layout::contiguous, 1000, 470, 1, 0},
      {"large", Layout::contiguous, 3, 40000, 1, 0},
      {"few rows", Layout::strided, 1100, 3, 16, 16},
      {"many rows", Layout::strided, 11, 350, 100, 400},
      {"columns", Layout::strided, 5, 1, 1000, 40},
      {"few segments", Layout::vector, 1150, 2, 20, 5},
      {"many segments", Layout::vector, 100, 900, 36, 1100},
  };
  return all;
}

enum class Kind { put, get, acc };

// One call: Kind over the words of the shape. `handle` null and `blocking` false: an implicit request.
inline int call(Kind kind, const Shape& shape, long* near, long* far, int target, bool blocking,
                comex_request_t* handle) {
  constexpr int word = sizeof(long);
  long scale = 1;
  const bool is_get = kind == Kind::get;
  long* src = (is_get ? far : near) + shape.first;
  long* dst = (is_get ? near : far) + shape.first;
  if (shape.layout == Shape::Layout::contiguous) {
    const int bytes = shape.run * word;
    if (blocking) {
      if (kind == Kind::acc) return comex_acc(COMEX_ACC_LNG, &scale, src, dst, bytes, target, everyone);
      return (is_get ? comex_get : comex_put)(src, dst, bytes, target, everyone);
    }
    if (kind == Kind::acc)
      return comex_nbacc(COMEX_ACC_LNG, &scale, src, dst, bytes, target, everyone, handle);
    return (is_get ? comex_nbget : comex_nbput)(src, dst, bytes, target, everyone, handle);
  }
  if (shape.layout == Shape::Layout::strided) {
    int stride = shape.stride * word;
    int count[2] = {shape.run * word, shape.rows};
    if (blocking) {
      if (kind == Kind::acc) {
        return comex_accs(COMEX_ACC_LNG, &scale, src, &stride, dst, &stride, count, 1, target, everyone);
      }
      return (is_get ? comex_gets : comex_puts)(src, &stride, dst, &stride, count, 1, target, everyone);
    }
    if (kind == Kind::acc) {
      return comex_nbaccs(COMEX_ACC_LNG, &scale, src, &stride, dst, &stride, count, 1, target, everyone,
                          handle);
    }
    return (is_get ? comex_nbgets : comex_nbputs)(src, &stride, dst, &stride, count, 1, target, everyone,
                                                  handle);
  }
  std::vector<void*> from;
  std::vector<void*> to;
  for (int row = 0; row < shape.rows; ++row) {
    from.push_back(src + row * shape.stride);
    to.push_back(dst + row * shape.stride);
  }
  comex_giov_t vector{from.data(), to.data(), shape.rows, shape.run * word};
  if (blocking) {
    if (kind == Kind::acc) return comex_accv(COMEX_ACC_LNG, &scale, &vector, 1, target, everyone);
    return (is_get ? comex_getv : comex_putv)(&vector, 1, target, everyone);
  }
  if (kind == Kind::acc) return comex_nbaccv(COMEX_ACC_LNG, &scale, &vector, 1, target, everyone, handle);
  return (is_get ? comex_nbgetv : comex_nbputv)(&vector, 1, target, everyone, handle);
}

inline int now(Kind kind, const Shape& shape, Image& near, long* far, int target) {
  return call(kind, shape, near.data(), far, target, true, nullptr);
}
inline int begin(Kind kind, const Shape& shape, Image& near, long* far, int target,
                 comex_request_t* handle = nullptr) {
  return call(kind, shape, near.data(), far, target, false, handle);
}

// The same on plain copies.
inline void apply(Kind kind, const Shape& shape, Image& near, Image& far) {
  shape.for_each_word([&](std::size_t at) {
    if (kind == Kind::put) far[at] = near[at];
    if (kind == Kind::get) near[at] = far[at];
    if (kind == Kind::acc) far[at] += near[at];
  });
}

inline Image numbered(long seed) {
  Image image(image_words);
  for (std::size_t at = 0; at < image.size(); ++at) image[at] = seed * 1'000'000 + static_cast<long>(at);
  return image;
}

}  // namespace comex::testing
