// Floors that are rows of their own: a message and its reply, and handing a futex over.
#pragma once

#include "meeting_rows.h"

namespace bench {

#ifdef BENCH_ON_FLOORS

// 8 bytes there and 8 bytes back, both sides in a blocking receive.
inline Answer send_reply_row(Rig& rig) {
  constexpr int tag = 11;
  const int other = rig.is_origin() ? rig.target() : 0;
  const bool takes_part = rig.is_origin() || rig.rt.me() == rig.target();
  long counted = 0;
  const Timing timing = by_all_together(rig, [&](long count) {
    for (long i = 0; takes_part && i < count; ++i) {
      long word = counted;
      if (rig.is_origin()) MPI_Send(&word, 1, MPI_LONG, other, tag, rig.rt.comm());
      MPI_Recv(&word, 1, MPI_LONG, other, tag, rig.rt.comm(), MPI_STATUS_IGNORE);
      counted = word + 1;
      if (!rig.is_origin()) MPI_Send(&counted, 1, MPI_LONG, other, tag, rig.rt.comm());
    }
  });
  return answer(rig, timing.nanoseconds,
                !takes_part || counted + (rig.is_origin() ? 0 : 1) == 2 * timing.calls);
}

// Two workers wake one another in turn; the time of one hand-over, which is one way.
inline Answer futex_row(Rig& rig) {
  set_word(rig, rig.word(rig.target(), 7), 0);
  rig.rt.barrier();
  int* const turn = reinterpret_cast<int*>(rig.word(rig.target(), 7).at);
  const bool takes_part = rig.is_origin() || rig.rt.me() == rig.target();
  const int mine = rig.is_origin() ? 0 : 1;
  const floors::Word word(*turn);
  long taken = 0;
  const Timing timing = by_all_together(rig, [&](long count) {
    for (long i = 0; takes_part && i < count; ++i) {
      for (int now = word.load(); now % 2 != mine; now = word.load()) floors::sleep_on(turn, now);
      ++taken;
      word.fetch_add(1);
      floors::wake_one(turn);
    }
  });
  const bool is_right = !takes_part || (taken == timing.calls && word.load() == 2 * taken);
  return answer(rig, timing.nanoseconds / 2, is_right);
}

inline void add_floor_rows(Rows& rows) {
  rows.push_back({"floor.send_reply.8", "ns", Need::nothing, send_reply_row});
  rows.push_back({"floor.futex_handoff", "ns", Need::everybody, futex_row});
}

#else

inline void add_floor_rows(Rows&) {}

#endif

}  // namespace bench
