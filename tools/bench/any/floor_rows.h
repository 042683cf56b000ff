// Floors that are rows of their own: a message and its reply, also beside large ones of another sender,
// handing a futex over, and a cache line.
#pragma once

#include <sched.h>

#include <array>

#include "meeting_rows.h"
#include "progress_rows.h"

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

// 8 bytes there and `bytes` back, both sides in a blocking receive, by all workers at once: half of them ask
// the others. Told is the time for one trip of anybody.
inline Answer send_reply_by_all_row(Rig& rig, int bytes) {
  constexpr int tag = 16;
  const int me = rig.rt.me();
  const int other = partner_of(me, rig.rt.size());
  const int pairs = rig.rt.size() / 2;
  const bool takes_part = partner_of(other, rig.rt.size()) == me;
  const bool asks = me < other;
  std::vector<long> words(static_cast<std::size_t>(bytes) / 8);
  long counted = 0;
  const Timing timing = by_all_together(rig, [&](long count) {
    for (long i = 0; takes_part && i < count; ++i) {
      if (asks) MPI_Send(&counted, 1, MPI_LONG, other, tag, rig.rt.comm());
      MPI_Recv(asks ? words.data() : &counted, asks ? bytes : 8, MPI_BYTE, other, tag, rig.rt.comm(),
               MPI_STATUS_IGNORE);
      if (asks) counted = words.back();
      words.back() = counted + 1;
      if (!asks) MPI_Send(words.data(), bytes, MPI_BYTE, other, tag, rig.rt.comm());
    }
  });
  return answer(rig, timing.nanoseconds / std::max(pairs, 1),
                !takes_part || counted + (asks ? 0 : 1) == timing.calls);
}

// The same while worker 1 sends the target the bytes of large puts in messages of 256 KiB, again and again: 8
// bytes beside large puts without a runtime. The origin hears of each as it begins and when it has been sent.
class BesideLargeMessages {
 public:
  explicit BesideLargeMessages(Rig& rig) : rig_(rig), comm_(rig.rt.comm()), puts_(rig.options) {}

  void send_large_ones() const {
    std::vector<double> source = puts_.source();
    const auto* const bytes = reinterpret_cast<const std::byte*>(source.data());
    for (int i = 0; i < puts_.times; ++i) {
      source.back() = i;
      tell(2 * i + 1);
      for (int piece = 0; piece < pieces(); ++piece) {
        MPI_Send(bytes + offset_of(piece), piece_bytes, MPI_BYTE, rig_.target(), large, comm_);
      }
      tell(2 * i + 2);
    }
  }
  // What each request took beside one of them.
  std::vector<double> ask() {
    std::vector<double> taken;
    while (heard_ < 2 * puts_.times) {
      const bool is_beside = heard_ % 2 == 1;
      const double before = now_ns();
      ++asked_;
      MPI_Send(&asked_, 1, MPI_LONG, rig_.target(), small, comm_);
      long answered = 0;
      MPI_Recv(&answered, 1, MPI_LONG, rig_.target(), small, comm_, MPI_STATUS_IGNORE);
      if (is_beside) taken.push_back(now_ns() - before);
      is_right_ = is_right_ && answered == asked_ + 1;
      hear();
    }
    const long end = 0;
    MPI_Send(&end, 1, MPI_LONG, rig_.target(), small, comm_);
    return taken;
  }
  // Until all have arrived and the origin has ended.
  void reply(std::byte* landing) {
    std::array<MPI_Request, 1 + window> requests{};
    requests.fill(MPI_REQUEST_NULL);
    long word = 0;
    int posted = 0;
    const auto receive_word = [&] { MPI_Irecv(&word, 1, MPI_LONG, 0, small, comm_, requests.data()); };
    const auto receive_piece = [&](std::size_t at) {
      if (posted == puts_.times * pieces()) return;
      MPI_Irecv(landing + offset_of(posted++ % pieces()), piece_bytes, MPI_BYTE, 1, large, comm_,
                &requests[at]);
    };
    receive_word();
    for (std::size_t at = 1; at <= window; ++at) receive_piece(at);
    for (int done = 0; done != MPI_UNDEFINED;) {
      MPI_Waitany(1 + window, requests.data(), &done, MPI_STATUS_IGNORE);
      if (done > 0) receive_piece(static_cast<std::size_t>(done));
      if (done != 0 || word == 0) continue;
      ++word;
      MPI_Send(&word, 1, MPI_LONG, 0, small, comm_);
      receive_word();
    }
    is_right_ = puts_.have_arrived(landing);
  }
  bool is_right() const { return is_right_; }

 private:
  static constexpr int large = 12, small = 13, state = 14;
  static constexpr int window = 4;
  static constexpr int piece_bytes = 256 << 10;

  int pieces() const { return puts_.bytes / piece_bytes; }
  static std::size_t offset_of(int piece) { return static_cast<std::size_t>(piece) * piece_bytes; }

  void tell(int word) const { MPI_Send(&word, 1, MPI_INT, 0, state, comm_); }
  void hear() {
    int is_there = 0;
    MPI_Iprobe(1, state, comm_, &is_there, MPI_STATUS_IGNORE);
    if (is_there != 0) MPI_Recv(&heard_, 1, MPI_INT, 1, state, comm_, MPI_STATUS_IGNORE);
  }

  Rig& rig_;
  MPI_Comm comm_;
  LargePuts puts_;
  int heard_ = 0;
  long asked_ = 0;
  bool is_right_ = true;
};

inline Answer send_reply_beside_row(Rig& rig) {
  const bool is_target = rig.rt.me() == rig.target();
  const std::size_t room = is_target ? LargePuts(rig.options).size() : 0;
  std::vector<double> landing(room / 8);  // its pages are there before
  BesideLargeMessages messages(rig);
  std::vector<double> taken;
  rig.rt.barrier();
  if (rig.rt.me() == 1) messages.send_large_ones();
  if (rig.is_origin()) taken = messages.ask();
  if (is_target) messages.reply(reinterpret_cast<std::byte*>(landing.data()));
  return one_of_a_hundred(rig, std::move(taken), rig.rt.all(messages.is_right()));
}

// The origin and the last worker count a word up in turn. While it is the other's, `wait(word, value)` is
// called, after the own one `wake(word)`. Told is the time of two turns.
template <class Wait, class Wake>
Answer turns_row(Rig& rig, Wait&& wait, Wake&& wake) {
  const Place place = rig.word(rig.target(), 7);
  set_word(rig, place, 0);
  rig.rt.barrier();
  int* const turn = reinterpret_cast<int*>(place.at);
  const bool takes_part = rig.is_origin() || rig.rt.me() == rig.target();
  const int mine = rig.is_origin() ? 0 : 1;
  const floors::Word word(*turn);
  long taken = 0;
  const Timing timing = by_all_together(rig, [&](long count) {
    for (long i = 0; takes_part && i < count; ++i) {
      for (int now = word.load(); now % 2 != mine; now = word.load()) wait(turn, now);
      ++taken;
      word.fetch_add(1);
      wake(turn);
    }
  });
  const bool is_right = !takes_part || (taken == timing.calls && word.load() == 2 * taken);
  return answer(rig, timing.nanoseconds, is_right);
}

// One hand-over, which is one way.
inline Answer futex_row(Rig& rig) {
  const Answer both = turns_row(rig, floors::sleep_on, floors::wake_one);
  return {both.value / 2, both.is_right};
}

// There and back, both spinning: how near the two cores are to each other at the time.
inline Answer cache_line_row(Rig& rig) {
  constexpr long patience = 10'000;  // looks; then they may share a core
  long looks = 0;
  const auto look_again = [&](int*, int) {
    if (++looks % patience == 0) sched_yield();
  };
  return turns_row(rig, look_again, [](int*) {});
}

inline void add_floor_rows(Rows& rows) {
  rows.push_back({"floor.send_reply.8", "ns", Need::nothing, send_reply_row});
  for (const int bytes : {8, 200}) {
    rows.push_back({"floor.send_reply_by_all." + std::to_string(bytes), "ns", Need::nothing,
                    [=](Rig& rig) { return send_reply_by_all_row(rig, bytes); }});
  }
  rows.push_back({"floor.beside_put.8", "ns", Need::third_sender, send_reply_beside_row});
  rows.push_back({"floor.futex_handoff", "ns", Need::everybody, futex_row});
  rows.push_back({"floor.cache_line.8", "ns", Need::everybody, cache_line_row});
}

#else

inline void add_floor_rows(Rows&) {}

#endif

}  // namespace bench
