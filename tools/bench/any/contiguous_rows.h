// Put, get and accumulate of 8 B to 4 MiB, blocking, at random places; and put + fence.
//
// The first word of what is put counts the calls, so that the last visit of a place is known. Behind the
// loop the places are read back whole, of large ones some.
#pragma once

#include "row.h"

namespace bench {

constexpr std::size_t checked_places = 24;      // at least
constexpr std::size_t checked_bytes = 4 << 20;  // and as many as make so much

inline double pattern(std::size_t i) {
  return static_cast<double>(i % 1021) + 1;
}

inline void fill_pattern(double* to, int bytes) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(bytes) / 8; ++i) to[i] = pattern(i);
}

// Calls were numbered 0 .. calls-1 and went round the places: the last one to `place`, and how many went
// there.
inline long last_visit(long calls, std::size_t places, std::size_t place) {
  const long n = static_cast<long>(places);
  const long p = static_cast<long>(place);
  return calls <= p ? -1 : (calls - 1 - p) / n * n + p;
}
inline long visits(long calls, std::size_t places, std::size_t place) {
  const long last = last_visit(calls, places, place);
  return last < 0 ? 0 : last / static_cast<long>(places) + 1;
}

// Reads places that the calls have visited back and compares: the first element with first(place), the others
// with rest(place, element).
template <class First, class Rest>
bool check_places(Rig& rig, const std::vector<Place>& places, long calls, int bytes, First&& first,
                  Rest&& rest) {
  const std::size_t visited = std::min(places.size(), static_cast<std::size_t>(calls));
  const std::size_t checked = std::max(checked_places, checked_bytes / static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < std::min(visited, checked); ++i) {
    rig.rt.get(places[i], rig.spare(), bytes);
    if (rig.spare()[0] != first(i)) return false;
    for (std::size_t e = 1; e < static_cast<std::size_t>(bytes) / 8; ++e) {
      if (rig.spare()[e] != rest(i, e)) return false;
    }
  }
  return true;
}

inline void fence_targets(Rig& rig) {
  for (int proc = rig.options.first_target; proc < rig.rt.size(); ++proc) rig.rt.fence(proc);
}

inline void write_places(Rig& rig, const std::vector<Place>& places, int bytes) {
  for (const Place& place : places) rig.rt.put(rig.near(), place, bytes);
  fence_targets(rig);
}

inline Answer put_row(Rig& rig, int bytes, bool fences) {
  const std::vector<Place> places = rig.places(static_cast<std::size_t>(bytes));
  const std::size_t mask = places.size() - 1;
  fill_pattern(rig.near(), bytes);
  const Timing timing = by_origin(rig, [&](long i) {
    const Place& to = places[static_cast<std::size_t>(i) & mask];
    rig.near()[0] = static_cast<double>(i + 7);
    if (fences) {
      rig.rt.put_and_fence(rig.near(), to, bytes);
    } else {
      rig.rt.put(rig.near(), to, bytes);
    }
  });
  const bool is_right = alone(rig, [&] {
    fence_targets(rig);
    const auto first = [&](std::size_t place) {
      return static_cast<double>(last_visit(timing.calls, places.size(), place) + 7);
    };
    return check_places(rig, places, timing.calls, bytes, first,
                        [](std::size_t, std::size_t e) { return pattern(e); });
  });
  return answer(rig, timing.nanoseconds, is_right);
}

// 8 bytes to every target, and one fence for all of them: told is the time of it all.
inline Answer fence_all_row(Rig& rig) {
  constexpr int word = 7;
  const int first = rig.options.first_target;
  long value = 0;
  const Timing timing = by_origin(rig, [&](long) {
    ++value;
    for (int proc = first; proc < rig.rt.size(); ++proc) rig.rt.put(&value, rig.word(proc, word), 8);
    rig.rt.fence_all();
  });
  const bool is_right = alone(rig, [&] {
    bool has_arrived = value == timing.calls;
    for (int proc = first; proc < rig.rt.size(); ++proc) {
      long found = -1;
      rig.rt.get(rig.word(proc, word), &found, 8);
      has_arrived = has_arrived && found == value;
    }
    return has_arrived;
  });
  return answer(rig, timing.nanoseconds, is_right);
}

inline Answer get_row(Rig& rig, int bytes) {
  const std::vector<Place> places = rig.places(static_cast<std::size_t>(bytes));
  const std::size_t mask = places.size() - 1;
  fill_pattern(rig.near(), bytes);
  alone(rig, [&] {
    for (std::size_t i = 0; i < places.size(); ++i) {
      rig.near()[0] = static_cast<double>(3 * i + 1);
      rig.rt.put(rig.near(), places[i], bytes);
    }
    fence_targets(rig);
    return true;
  });
  double sum = 0;
  std::fill_n(rig.near(), bytes / 8, 0.0);
  const Timing timing = by_origin(rig, [&](long i) {
    rig.rt.get(places[static_cast<std::size_t>(i) & mask], rig.near(), bytes);
    sum += rig.near()[0];
  });
  double expected = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    expected += static_cast<double>(3 * i + 1) * static_cast<double>(visits(timing.calls, places.size(), i));
  }
  bool is_right = !rig.is_origin() || sum == expected;
  for (std::size_t e = 1; rig.is_origin() && e < static_cast<std::size_t>(bytes) / 8; ++e) {
    is_right = is_right && rig.near()[e] == pattern(e);
  }
  return answer(rig, timing.nanoseconds, is_right);
}

inline Answer acc_row(Rig& rig, int bytes) {
  const std::vector<Place> places = rig.places(static_cast<std::size_t>(bytes));
  const std::size_t mask = places.size() - 1;
  std::fill_n(rig.near(), bytes / 8, 0.0);
  alone(rig, [&] {
    write_places(rig, places, bytes);
    return true;
  });
  fill_pattern(rig.near(), bytes);
  const Timing timing = by_origin(
      rig, [&](long i) { rig.rt.acc(rig.near(), places[static_cast<std::size_t>(i) & mask], bytes); });
  const bool is_right = alone(rig, [&] {
    fence_targets(rig);
    const auto value = [&](std::size_t place, std::size_t e) {
      return pattern(e) * static_cast<double>(visits(timing.calls, places.size(), place));
    };
    return check_places(
        rig, places, timing.calls, bytes, [&](std::size_t place) { return value(place, 0); }, value);
  });
  return answer(rig, timing.nanoseconds, is_right);
}

inline void add_contiguous_rows(Rows& rows) {
  for (const int bytes : {8, 64, 512, 4096, 32768, 65536, 262144, 2097152, 4194304}) {
    const std::string size = "." + std::to_string(bytes);
    rows.push_back({"put" + size, "ns", Need::nothing, [=](Rig& rig) { return put_row(rig, bytes, false); }});
    rows.push_back({"get" + size, "ns", Need::nothing, [=](Rig& rig) { return get_row(rig, bytes); }});
    rows.push_back({"acc" + size, "ns", Need::nothing, [=](Rig& rig) { return acc_row(rig, bytes); }});
  }
  rows.push_back({"put_fence.8", "ns", Need::nothing, [](Rig& rig) { return put_row(rig, 8, true); }});
  rows.push_back({"put_fence.4096", "ns", Need::nothing, [](Rig& rig) { return put_row(rig, 4096, true); }});
  rows.push_back({"put_fence_all.8", "ns", Need::nothing, fence_all_row});
}

}  // namespace bench
