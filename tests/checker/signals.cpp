// put_signal and wait_until: what a signal orders, and what it does not.
#include <algorithm>

#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int bytes = many * static_cast<int>(sizeof(long));

long* no_data = nullptr;

void only_signal(Bed& bed, long* word, long value, int to) {
  bed.signal(no_data, 0, word, value, to);
}

void add_signal(Bed& bed, long* dst, int count, long* word, int to) {
  const auto size = static_cast<std::size_t>(count);
  bed.done(comex_put_signal_add(bed.local<long>(size, 1), dst, size * sizeof(long), word, 1, to, everyone));
}

// Blocks and words for all others, at every worker.
struct Inbox {
  Parts<long> data;
  Parts<long> words;

  explicit Inbox(Bed& bed) : data(bed.allocate(needed_workers * many)), words(bed.allocate(needed_workers)) {}
  long* block(int owner, int from) const { return data[owner] + from * many; }
};

void fill_inboxes(Bed& bed, const Inbox& inbox, long value) {
  for (int to = 0; to < needed_workers; ++to) {
    bed.signal(inbox.block(to, bed.me), many, inbox.words[to] + bed.me, value, to);
  }
}

constexpr Case cases[] = {
    {"two_values_into_one_word", signal,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       const auto word = bed.allocate(1);
       if (bed.is({0, 1})) bed.signal(a[2] + bed.me * many, many, word[2], bed.me + 1, 2);
       if (bed.me == 2) bed.await(word[2], 1);
     }},
    {"two_values_of_three_without_data", signal,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       if (bed.me != 2) only_signal(bed, word[2], 10 + bed.me, 2);
       if (bed.me == 2) bed.await(word[2], 1);
     }},
    {"non_blocking_values_into_one_word", signal,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers);
       const auto word = bed.allocate(1);
       comex_request_t handle = 0;
       if (bed.is({0, 3})) {
         bed.done(comex_nbput_signal(bed.local(1), a[1] + bed.me, sizeof(long), word[1], bed.me + 1, 1,
                                     everyone, &handle));
         bed.done(comex_wait(&handle));
       }
     }},
    {"value_and_addition", signal,
     [](Bed& bed) {
       const auto a = bed.allocate(2);
       const auto word = bed.allocate(1);
       if (bed.me == 0) bed.signal(a[2], 1, word[2], 5, 2);
       if (bed.me == 1) add_signal(bed, a[2] + 1, 1, word[2], 2);
     }},
    {"put_into_a_signal_word", race,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       if (bed.me == 0) only_signal(bed, word[2], 5, 2);
       if (bed.me == 1) bed.put(word[2], 1, 2, 6);
     }},
    {"owner_clears_the_word_without_order", race,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       if (bed.me == 0) only_signal(bed, word[1], 5, 1);
       if (bed.me == 1) bed.write(word[1], 1, 0);
     }},
    {"data_read_before_the_wait", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.me == 0) bed.signal(inbox.block(1, 0), many, inbox.words[1], 1, 1);
       if (bed.me == 1) {
         bed.read(inbox.block(1, 0), many);
         bed.await(inbox.words[1], 1);
       }
     }},
    {"signal_for_data_of_another_target", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.me == 0) {
         bed.put(inbox.block(2, 0), many, 2);
         bed.signal(inbox.block(1, 0), many, inbox.words[1], 1, 1);
       }
       if (bed.me == 1) {
         bed.await(inbox.words[1], 1);
         bed.get(inbox.block(2, 0), many, 2);
       }
     }},
    {"next_data_without_acknowledgement", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.me == 0) {
         bed.signal(inbox.block(1, 0), many, inbox.words[1], 1, 1);
         bed.put(inbox.block(1, 0), many, 1, 2);
       }
       if (bed.me == 1) {
         bed.await(inbox.words[1], 1);
         bed.read(inbox.block(1, 0), many);
       }
     }},
    {"signal_of_another_origin", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.is({0, 3})) bed.signal(inbox.block(1, bed.me), many, inbox.words[1] + bed.me, 1, 1);
       if (bed.me == 1) {
         bed.await(inbox.words[1], 1);
         bed.read(inbox.block(1, 3), many);
       }
     }},
    {"all_data_read_after_any_signal", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       std::size_t index = 0;
       fill_inboxes(bed, inbox, 1);
       bed.done(comex_wait_until_any(inbox.words[bed.me], needed_workers, nullptr, COMEX_CMP_EQ, 1, &index));
       bed.read(inbox.data[bed.me], needed_workers * many);
     }},
    {"word_that_was_skipped", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       int skip[needed_workers] = {};
       skip[bed.next()] = 1;
       fill_inboxes(bed, inbox, 1);
       bed.done(comex_wait_until_all(inbox.words[bed.me], needed_workers, skip, COMEX_CMP_EQ, 1));
       bed.read(inbox.block(bed.me, bed.next()), many);
     }},
    {"put_after_the_signal", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.me == 0) {
         bed.signal(inbox.block(1, 0), many, inbox.words[1], 1, 1);
         bed.put(inbox.block(1, 2), many, 1);
       }
       if (bed.me == 1) {
         bed.await(inbox.words[1], 1);
         bed.read(inbox.block(1, 2), many);
       }
     }},
    {"two_signals_for_data_that_overlap", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.is({0, 3})) bed.signal(inbox.block(1, 0) + bed.me, many, inbox.words[1] + bed.me, 1, 1);
     }},
    {"third_worker_that_waits_for_nothing", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.me == 0) bed.signal(inbox.block(1, 0), many, inbox.words[1], 1, 1);
       if (bed.me == 1) bed.await(inbox.words[1], 1);
       if (bed.me == 3) bed.get(inbox.block(1, 0), many, 1);
     }},
    {"acknowledgement_before_the_data_is_read", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.me == 0) {
         bed.signal(inbox.block(1, 0), many, inbox.words[1], 1, 1);
         bed.await(inbox.words[0] + 1, 1);
         bed.signal(inbox.block(1, 0), many, inbox.words[1], 2, 1);
       }
       if (bed.me == 1) {
         bed.await(inbox.words[1], 1);
         only_signal(bed, inbox.words[0] + 1, 1, 0);
         bed.read(inbox.block(1, 0), many);
       }
     }},
    {"data_that_no_addition_tells_of", race,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.is({0, 3})) add_signal(bed, inbox.block(1, bed.me), many, inbox.words[1], 1);
       if (bed.me == 2) bed.put(inbox.block(1, 2), many, 1);
       if (bed.me == 1) {
         bed.await(inbox.words[1], 2);
         bed.read(inbox.data[1], needed_workers * many);
       }
     }},

    {"data_with_its_signal", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       bed.signal(inbox.block(bed.next(), bed.me), many, inbox.words[bed.next()], 3, bed.next());
       bed.await(inbox.words[bed.me], 3);
       bed.require(bed.read(inbox.block(bed.me, bed.previous()), many) == 3 * many, "the data");
     }},
    {"ping_pong", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       const int other = bed.me ^ 2;
       for (long round = 1; round <= 6; ++round) {
         if (bed.me < 2) bed.signal(inbox.block(other, bed.me), many, inbox.words[other], round, other);
         bed.await(inbox.words[bed.me], round);
         bed.require(bed.read(inbox.block(bed.me, other), many) == round * many, "the round's data");
         if (bed.me >= 2) bed.signal(inbox.block(other, bed.me), many, inbox.words[other], round, other);
       }
     }},
    {"ping_pong_in_place", right,  // who sees the signal knows that its source was read
     [](Bed& bed) {
       const Inbox inbox(bed);
       long* const own = inbox.block(bed.me, 0);
       const int other = bed.me ^ 2;
       for (long round = 1; round <= 4; ++round) {
         if (bed.me >= 2) bed.await(inbox.words[bed.me], round);
         bed.done(
             comex_put_signal(own, inbox.block(other, 0), bytes, inbox.words[other], round, other, everyone));
         if (bed.me < 2) bed.await(inbox.words[bed.me], round);
       }
     }},
    {"acknowledged_stream", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       for (long round = 1; round <= 4 && bed.me == 0; ++round) {
         bed.signal(inbox.block(3, 0), many, inbox.words[3], round, 3);
         bed.await(inbox.words[0] + 3, round);
       }
       for (long round = 1; round <= 4 && bed.me == 3; ++round) {
         bed.await(inbox.words[3], round);
         bed.require(bed.read(inbox.block(3, 0), many) == round * many, "the round's data");
         only_signal(bed, inbox.words[0] + 3, round, 0);
       }
     }},
    {"stream_with_two_credits", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       for (long round = 1; round <= 6 && bed.me == 0; ++round) {
         bed.await(inbox.words[0], round - 2);
         bed.signal(inbox.block(1, static_cast<int>(round % 2)), many, inbox.words[1], round, 1);
       }
       for (long round = 1; round <= 6 && bed.me == 1; ++round) {
         bed.await(inbox.words[1], round);
         const long sum = bed.read(inbox.block(1, static_cast<int>(round % 2)), many);
         bed.require(sum == round * many, "the data of a buffer");
         only_signal(bed, inbox.words[0], round, 0);
       }
     }},
    {"halo_with_double_buffers", right,
     [](Bed& bed) {
       const Inbox inbox(bed);  // block 2 * parity + side; word side
       const int beside[2] = {bed.previous(), bed.next()};
       for (long step = 1; step <= 6; ++step) {
         const int first = 2 * static_cast<int>(step % 2);
         for (int side = 0; side < 2; ++side) {
           const int there = 1 - side;
           bed.signal(inbox.block(beside[side], first + there), many, inbox.words[beside[side]] + there, step,
                      beside[side]);
         }
         bed.done(comex_wait_until_all(inbox.words[bed.me], 2, nullptr, COMEX_CMP_GE, step));
         bed.require(bed.read(inbox.block(bed.me, first), 2 * many) == 2 * step * many, "both edges");
       }
     }},
    {"any_of_them_one_by_one", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       int skip[needed_workers] = {};
       fill_inboxes(bed, inbox, bed.me + 1);
       for (int i = 0; i < needed_workers; ++i) {
         std::size_t from = 0;
         bed.done(comex_wait_until_any(inbox.words[bed.me], needed_workers, skip, COMEX_CMP_NE, 0, &from));
         const long sum = bed.read(inbox.block(bed.me, static_cast<int>(from)), many);
         bed.require(sum == (static_cast<long>(from) + 1) * many, "the data of who was seen");
         skip[from] = 1;
       }
     }},
    {"some_of_them", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       int skip[needed_workers] = {};
       fill_inboxes(bed, inbox, 2);
       for (std::size_t left = needed_workers; left > 0;) {
         std::size_t from[needed_workers];
         std::size_t found = 0;
         bed.done(
             comex_wait_until_some(inbox.words[bed.me], needed_workers, skip, COMEX_CMP_EQ, 2, from, &found));
         for (std::size_t i = 0; i < found; ++i) {
           bed.require(bed.read(inbox.block(bed.me, static_cast<int>(from[i])), many) == 2 * many,
                       "the data");
           skip[from[i]] = 1;
         }
         left -= found;
       }
     }},
    {"all_of_them", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       fill_inboxes(bed, inbox, 4);
       bed.done(comex_wait_until_all(inbox.words[bed.me], needed_workers, nullptr, COMEX_CMP_GE, 4));
       bed.require(bed.read(inbox.data[bed.me], needed_workers * many) == 4 * needed_workers * many,
                   "all data");
     }},
    {"additions_of_all", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       add_signal(bed, inbox.block(1, bed.me), many, inbox.words[1], 1);
       if (bed.me != 1) return;
       bed.await(inbox.words[1], needed_workers);
       bed.require(bed.read(inbox.data[1], needed_workers * many) == needed_workers * many, "all data");
     }},
    {"earlier_puts_to_the_target", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       bed.put(inbox.block(bed.next(), 0), many, bed.next(), 1);
       bed.done(comex_nbput(bed.local<long>(many, 1), inbox.block(bed.next(), 1), bytes, bed.next(), everyone,
                            nullptr));
       only_signal(bed, inbox.words[bed.next()], 1, bed.next());
       bed.await(inbox.words[bed.me], 1);
       bed.require(bed.read(inbox.data[bed.me], 2 * many) == 2 * many, "what came before the signal");
     }},
    {"non_blocking_signals", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       comex_request_t handles[2] = {};
       for (int i = 0; i < 2; ++i) {
         bed.done(comex_nbput_signal(bed.local<long>(many, 1), inbox.block(bed.next(), i), bytes,
                                     inbox.words[bed.next()] + i, 1, bed.next(), everyone, &handles[i]));
       }
       bed.done(comex_wait_until_all(inbox.words[bed.me], 2, nullptr, COMEX_CMP_EQ, 1));
       bed.require(bed.read(inbox.data[bed.me], 2 * many) == 2 * many, "the data");
       for (comex_request_t& handle : handles) bed.done(comex_wait(&handle));
     }},
    {"chain_of_signals", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.me > 0) bed.await(inbox.words[bed.me], 1);
       if (bed.me == 0) bed.signal(inbox.block(1, 0), many, inbox.words[1], 1, 1);
       if (bed.is({1, 2})) only_signal(bed, inbox.words[bed.next()], 1, bed.next());
       if (bed.me == 3) bed.require(bed.get(inbox.block(1, 0), many, 1)[0] == 1, "what the first one put");
     }},
    {"message_after_the_signal", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.me == 0) bed.signal(inbox.block(1, 0), many, inbox.words[1], 1, 1);
       if (bed.me == 1) {
         bed.await(inbox.words[1], 1);
         bed.send(3);
       }
       if (bed.me == 3) {
         bed.receive(1);
         bed.require(bed.get(inbox.block(1, 0), many, 1)[many - 1] == 1, "what was signalled to its target");
       }
     }},
    {"two_origins_one_after_the_other", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       if (bed.me == 3) bed.await(inbox.words[3], 1);
       if (bed.is({0, 3})) bed.signal(inbox.block(1, 0), many, inbox.words[1], bed.me + 1, 1);
       if (bed.me != 1) return;
       bed.await(inbox.words[1], 1);
       bed.require(bed.read(inbox.block(1, 0), many) == many, "the first data");
       only_signal(bed, inbox.words[3], 1, 3);
       bed.await(inbox.words[1], 4);
       bed.require(bed.read(inbox.block(1, 0), many) == 4 * many, "the second data");
     }},
    {"words_cleared_between_barriers", right,
     [](Bed& bed) {
       const Inbox inbox(bed);
       for (int round = 0; round < 3; ++round) {
         bed.signal(inbox.block(bed.next(), 0), many, inbox.words[bed.next()], 1, bed.next());
         bed.await(inbox.words[bed.me], 1);
         bed.require(bed.read(inbox.block(bed.me, 0), many) == many, "the round's data");
         bed.barrier();
         bed.write(inbox.words[bed.me], needed_workers, 0);
         bed.barrier();
       }
     }},
};

}  // namespace

Cases signals() {
  return cases;
}

}  // namespace comex::checker
