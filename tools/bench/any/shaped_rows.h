// Strided blocks and scattered elements, for put, get and accumulate. The far side has gaps between its rows,
// which must keep what was in them; the near side is packed.
#pragma once

#include "contiguous_rows.h"

namespace bench {

enum class Verb { put, get, acc };

inline Shape shapes[] = {
    {"128x512", 1, {512, 128, 1}, {512, 0}, {1024, 0}},
    {"16x4096", 1, {4096, 16, 1}, {4096, 0}, {8192, 0}},
    {"32x32x256", 2, {256, 32, 32}, {256, 8192}, {512, 512 * 48}},
};
constexpr std::size_t shape_bytes = std::size_t{1} << 20;
constexpr double gap = -5;

// What the first element of a place holds that is got, so that each brings something else.
inline double mark(std::size_t place) {
  return static_cast<double>(3 * place + 1);
}

// What a place holds before: a get finds its mark and the pattern there, a put or accumulate zeros; gaps in
// any case.
inline void prepare_shapes(Rig& rig, const Shape& s, const std::vector<Place>& places, Verb verb) {
  double* const image = rig.spare();
  std::fill_n(image, shape_bytes / 8, gap);
  for (int row = 0; row < s.rows(); ++row) {
    for (std::size_t e = 0; e < static_cast<std::size_t>(s.count[0]) / 8; ++e) {
      const std::size_t near = static_cast<std::size_t>(row) * static_cast<std::size_t>(s.count[0]) / 8 + e;
      image[s.far_row(row) / 8 + e] = verb == Verb::get ? pattern(near) : 0.0;
    }
  }
  for (std::size_t place = 0; place < places.size(); ++place) {
    if (verb == Verb::get) image[0] = mark(place);
    rig.rt.put(image, places[place], static_cast<int>(shape_bytes));
  }
  fence_targets(rig);
}

inline bool check_shape(Rig& rig, const Shape& s, const Place& place, double factor, double first) {
  double* const image = rig.spare();
  rig.rt.get(place, image, static_cast<int>(shape_bytes));
  for (int row = 0; row < s.rows(); ++row) {
    for (std::size_t e = 0; e < static_cast<std::size_t>(s.count[0]) / 8; ++e) {
      const std::size_t near = static_cast<std::size_t>(row) * static_cast<std::size_t>(s.count[0]) / 8 + e;
      double& found = image[s.far_row(row) / 8 + e];
      if (found != (near == 0 ? first : factor * pattern(near))) return false;
      found = gap;
    }
  }
  return std::all_of(image, image + shape_bytes / 8, [](double x) { return x == gap; });
}

inline Answer strided_row(Rig& rig, Shape& s, Verb verb) {
  const std::vector<Place> places = rig.places(shape_bytes);
  const std::size_t mask = places.size() - 1;
  alone(rig, [&] {
    prepare_shapes(rig, s, places, verb);
    return true;
  });
  fill_pattern(rig.near(), s.bytes());
  if (verb == Verb::get) std::fill_n(rig.near(), s.bytes() / 8, 0.0);
  double got = 0;
  const Timing timing = by_origin(rig, [&](long i) {
    const Place& place = places[static_cast<std::size_t>(i) & mask];
    if (verb == Verb::put) {
      rig.near()[0] = static_cast<double>(i + 7);
      rig.rt.puts(rig.near(), place, s);
    } else if (verb == Verb::get) {
      rig.rt.gets(place, rig.near(), s);
      got += rig.near()[0];
    } else {
      rig.rt.accs(rig.near(), place, s);
    }
  });
  const bool is_right = alone(rig, [&] {
    fence_targets(rig);
    double marks = 0;
    for (std::size_t place = 0; verb == Verb::get && place < places.size(); ++place)
      marks += mark(place) * static_cast<double>(visits(timing.calls, places.size(), place));
    if (got != marks) return false;
    for (std::size_t e = 1; verb == Verb::get && e < static_cast<std::size_t>(s.bytes()) / 8; ++e) {
      if (rig.near()[e] != pattern(e)) return false;
    }
    const auto holds = [&](std::size_t place) {
      const double sums = static_cast<double>(visits(timing.calls, places.size(), place));
      const double first = verb == Verb::put
                               ? static_cast<double>(last_visit(timing.calls, places.size(), place) + 7)
                           : verb == Verb::get ? mark(place)
                                               : sums * pattern(0);
      return check_shape(rig, s, places[place], verb == Verb::acc ? sums : 1.0, first);
    };
    const std::size_t visited = std::min(places.size(), static_cast<std::size_t>(timing.calls));
    for (std::size_t place = 0; place < visited; ++place) {
      if (!holds(place)) return false;
    }
    return true;
  });
  return answer(rig, timing.nanoseconds, is_right);
}

constexpr int scattered = 1000;

// The same random words of the place for every call: a permutation's beginning, so that none comes twice.
inline Scatter make_scatter(Rig& rig, const Place& base) {
  Scatter s{base, {}, {}, {}};
  std::vector<int> words(shape_bytes / 8);
  std::iota(words.begin(), words.end(), 0);
  std::mt19937_64 random(rig.options.seed + 1);
  for (std::size_t i = 0; i < scattered; ++i) {
    std::swap(words[i], words[i + random() % (words.size() - i)]);
    s.offsets.push_back(words[i] * 8);
    s.near.push_back(rig.near() + i);
    s.far.push_back(base.at + words[i] * 8);
  }
  return s;
}

inline bool check_scatter(Rig& rig, const Scatter& s, double factor, double first) {
  rig.rt.get(s.base, rig.spare(), static_cast<int>(shape_bytes));
  for (std::size_t i = 0; i < scattered; ++i) {
    double& found = rig.spare()[s.offsets[i] / 8];
    if (found != (i == 0 ? first : factor * pattern(i))) return false;
    found = gap;
  }
  return std::all_of(rig.spare(), rig.spare() + shape_bytes / 8, [](double x) { return x == gap; });
}

inline Answer scatter_row(Rig& rig, Verb verb) {
  const Place base = rig.places(shape_bytes).front();
  Scatter s = make_scatter(rig, base);
  alone(rig, [&] {
    std::fill_n(rig.spare(), shape_bytes / 8, gap);
    for (std::size_t i = 0; i < scattered; ++i)
      rig.spare()[s.offsets[i] / 8] = verb == Verb::get ? pattern(i) : 0.0;
    rig.rt.put(rig.spare(), base, static_cast<int>(shape_bytes));
    fence_targets(rig);
    return true;
  });
  fill_pattern(rig.near(), scattered * 8);
  if (verb == Verb::get) std::fill_n(rig.near(), scattered, 0.0);
  double got = 0;
  const Timing timing = by_origin(rig, [&](long i) {
    if (verb == Verb::put) {
      rig.near()[0] = static_cast<double>(i + 7);
      rig.rt.putv(s);
    } else if (verb == Verb::get) {
      rig.near()[0] = 0;  // each call has to bring it again
      rig.rt.getv(s);
      got += rig.near()[0];
    } else {
      rig.rt.accv(s);
    }
  });
  const bool is_right = alone(rig, [&] {
    fence_targets(rig);
    for (std::size_t i = 0; verb == Verb::get && i < scattered; ++i) {
      if (rig.near()[i] != pattern(i)) return false;
    }
    const double calls = static_cast<double>(timing.calls);
    if (verb == Verb::get && got != calls * pattern(0)) return false;
    const double factor = verb == Verb::acc ? calls : 1.0;
    return check_scatter(rig, s, factor, verb == Verb::put ? calls + 6 : factor * pattern(0));
  });
  return answer(rig, timing.nanoseconds, is_right);
}

inline void add_shaped_rows(Rows& rows) {
  for (Shape& s : shapes) {
    const std::string name = s.name;
    rows.push_back(
        {"puts." + name, "ns", Need::shapes, [&s](Rig& rig) { return strided_row(rig, s, Verb::put); }});
    rows.push_back(
        {"gets." + name, "ns", Need::shapes, [&s](Rig& rig) { return strided_row(rig, s, Verb::get); }});
    rows.push_back(
        {"accs." + name, "ns", Need::shapes, [&s](Rig& rig) { return strided_row(rig, s, Verb::acc); }});
  }
  rows.push_back({"putv.1000x8", "ns", Need::shapes, [](Rig& rig) { return scatter_row(rig, Verb::put); }});
  rows.push_back({"getv.1000x8", "ns", Need::shapes, [](Rig& rig) { return scatter_row(rig, Verb::get); }});
  rows.push_back({"accv.1000x8", "ns", Need::shapes, [](Rig& rig) { return scatter_row(rig, Verb::acc); }});
}

}  // namespace bench
