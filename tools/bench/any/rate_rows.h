// Non-blocking operations, 64 at a time: what one of them costs. The window ends with a wait, the row with a
// fence.
#pragma once

#include "contiguous_rows.h"

namespace bench {

constexpr int window = 64;

// What lies in the places before: zeros for sums, else 3 i + 1 first, then the pattern.
inline void set_places(Rig& rig, const std::vector<Place>& places, int bytes, bool zero) {
  alone(rig, [&] {
    fill_pattern(rig.near(), bytes);
    if (zero) std::fill_n(rig.near(), bytes / 8, 0.0);
    for (std::size_t i = 0; i < places.size(); ++i) {
      rig.near()[0] = zero ? 0.0 : static_cast<double>(3 * i + 1);
      rig.rt.put(rig.near(), places[i], bytes);
    }
    fence_targets(rig);
    return true;
  });
}

inline Answer put_rate(Rig& rig, int bytes) {
  const std::vector<Place> places = rig.places(static_cast<std::size_t>(bytes));
  const std::size_t mask = places.size() - 1;
  const auto stride = static_cast<std::size_t>(bytes) / 8;
  fill_pattern(rig.near(), bytes * window);
  const Timing timing = by_origin(rig, [&](long round) {
    for (std::size_t i = 0; i < window; ++i) {
      const std::size_t call = static_cast<std::size_t>(round) * window + i;
      rig.near()[i * stride] = static_cast<double>(call + 7);
      rig.rt.nbput(rig.near() + i * stride, places[call & mask], bytes);
    }
    rig.rt.wait();
  });
  const bool is_right = alone(rig, [&] {
    fence_targets(rig);
    const long calls = timing.calls * window;
    const auto first = [&](std::size_t place) {
      return static_cast<double>(last_visit(calls, places.size(), place) + 7);
    };
    // Behind its first word an element of the window holds what the pattern has there.
    const auto rest = [&](std::size_t place, std::size_t e) {
      return pattern(static_cast<std::size_t>(last_visit(calls, places.size(), place)) % window * stride + e);
    };
    return check_places(rig, places, calls, bytes, first, rest);
  });
  return answer(rig, timing.nanoseconds / window, is_right);
}

inline Answer get_rate(Rig& rig, int bytes) {
  const std::vector<Place> places = rig.places(static_cast<std::size_t>(bytes));
  const std::size_t mask = places.size() - 1;
  const auto stride = static_cast<std::size_t>(bytes) / 8;
  set_places(rig, places, bytes, false);
  std::fill_n(rig.near(), window * stride, 0.0);
  double sum = 0;
  const Timing timing = by_origin(rig, [&](long round) {
    for (std::size_t i = 0; i < window; ++i) {
      rig.rt.nbget(places[(static_cast<std::size_t>(round) * window + i) & mask], rig.near() + i * stride,
                   bytes);
    }
    rig.rt.wait();
    for (std::size_t i = 0; i < window; ++i) sum += rig.near()[i * stride];
  });
  double expected = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    expected +=
        static_cast<double>(3 * i + 1) * static_cast<double>(visits(timing.calls * window, places.size(), i));
  }
  bool is_right = !rig.is_origin() || sum == expected;
  for (std::size_t i = 0; rig.is_origin() && i < window * stride; ++i) {
    is_right = is_right && (i % stride == 0 || rig.near()[i] == pattern(i % stride));
  }
  return answer(rig, timing.nanoseconds / window, is_right);
}

inline Answer acc_rate(Rig& rig, int bytes) {
  const std::vector<Place> places = rig.places(static_cast<std::size_t>(bytes));
  const std::size_t mask = places.size() - 1;
  set_places(rig, places, bytes, true);
  fill_pattern(rig.near(), bytes);
  const Timing timing = by_origin(rig, [&](long round) {
    for (std::size_t i = 0; i < window; ++i) {
      rig.rt.nbacc(rig.near(), places[(static_cast<std::size_t>(round) * window + i) & mask], bytes);
    }
    rig.rt.wait();
  });
  const bool is_right = alone(rig, [&] {
    fence_targets(rig);
    const auto value = [&](std::size_t place, std::size_t e) {
      return pattern(e) * static_cast<double>(visits(timing.calls * window, places.size(), place));
    };
    return check_places(
        rig, places, timing.calls * window, bytes, [&](std::size_t place) { return value(place, 0); }, value);
  });
  return answer(rig, timing.nanoseconds / window, is_right);
}

// The values that come back are 0, 1, 2, ... for each word: their sum is known.
inline Answer add_rate(Rig& rig) {
  const std::vector<Place> places = rig.places(8);
  const std::size_t mask = places.size() - 1;
  set_places(rig, places, 8, true);
  long old[window] = {};
  double sum = 0;
  const Timing timing = by_origin(rig, [&](long round) {
    for (std::size_t i = 0; i < window; ++i) {
      rig.rt.nbadd(places[(static_cast<std::size_t>(round) * window + i) & mask], &old[i]);
    }
    rig.rt.wait();
    for (const long value : old) sum += static_cast<double>(value);
  });
  double expected = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto n = static_cast<double>(visits(timing.calls * window, places.size(), i));
    expected += n * (n - 1) / 2;
  }
  return answer(rig, timing.nanoseconds / window, !rig.is_origin() || sum == expected);
}

inline void add_rate_rows(Rows& rows) {
  for (const int bytes : {8, 1024}) {
    const std::string size = "." + std::to_string(bytes);
    rows.push_back({"nbput" + size, "ns", Need::nothing, [=](Rig& rig) { return put_rate(rig, bytes); }});
    rows.push_back({"nbget" + size, "ns", Need::nothing, [=](Rig& rig) { return get_rate(rig, bytes); }});
    rows.push_back({"nbacc" + size, "ns", Need::nothing, [=](Rig& rig) { return acc_rate(rig, bytes); }});
  }
  rows.push_back({"nbrmw.8", "ns", Need::nothing, add_rate});
}

}  // namespace bench
