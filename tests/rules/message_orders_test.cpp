// Origins and a server over the loopback transport, in every order of their steps that differs from taking
// turns in at most two places: credits are kept, and a fence returns when everything before it has been
// applied.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "conformance/whole_rig.h"
#include "rules/choices.h"

namespace comex::rules {
namespace {

using test::contiguous;

constexpr std::size_t origins = 2;
constexpr unsigned deviations = 2;
constexpr unsigned steps_with_choices = 14;
constexpr unsigned most_steps = 3000;

// What an origin posts is compared with what it had been told it may send.
class CreditWatch {
 public:
  void told(const transport::Message& message) {
    protocol::ReplyHeader reply;
    std::memcpy(&reply, message.data.data(), sizeof reply);
    limit_ = std::max(limit_, reply.limit);
  }
  void posted(std::uint64_t messages) { limits_at_post_.resize(messages, limit_); }
  void arrived(const transport::Message& message) {
    protocol::RequestHeader request;
    std::memcpy(&request, message.data.data(), sizeof request);
    if (protocol::is_credited(request.verb)) ++credited_;
    EXPECT_LE(credited_, limits_at_post_[arrived_++]) << "more messages than credits were under way";
  }
  std::uint64_t credited() const { return credited_; }

 private:
  std::uint64_t limit_ = 1;
  std::vector<std::uint64_t> limits_at_post_;
  std::size_t arrived_ = 0;
  std::uint64_t credited_ = 0;
};

struct Bed {
  explicit Bed(std::uint64_t pool_bytes) : rig({.origins = origins, .pool_bytes = pool_bytes, .slots = 8}) {
    rig.sends_batches = false;
    if (pool_bytes != 0) earn_credits();
  }

  op::Remote& origin(std::size_t index) { return rig.origin(index); }
  void turn_server() {
    transport::Message message;
    if (rig.fabric.endpoint(0).receive(message)) {
      watches[static_cast<std::size_t>(message.from) - 1].arrived(message);
      rig.server->on_message(message);
    }
    rig.server->advance();
  }
  void turn_origin(std::size_t index) {
    const auto rank = static_cast<TransportRank>(index + 1);
    transport::Message message;
    if (rig.fabric.endpoint(rank).receive(message)) {
      watches[index].told(message);
      rig.origin(index).on_message(message);
    }
    rig.origin(index).advance();
    watches[index].posted(rig.fabric.messages(rank, 0));
  }
  void step(unsigned action) {
    if (action == 0) return turn_server();
    turn_origin(action - 1);
  }

  // Else each origin would have one request at a time under way.
  void earn_credits() {
    nb::Completion done;
    std::int64_t zero = 0;
    for (int puts = 0; puts < 6; ++puts)
      for (std::size_t each = 0; each < origins; ++each)
        origin(each).start(contiguous(Action::put, &zero, rig.region, 8), rig.far, done);
    note_posted();
    for (unsigned steps = 0; !done.done() && steps < most_steps; ++steps) step(steps % (1 + origins));
  }
  void note_posted() {
    for (std::size_t each = 0; each < origins; ++each)
      watches[each].posted(rig.fabric.messages(static_cast<TransportRank>(each + 1), 0));
  }

  whole::Rig rig;
  std::array<CreditWatch, origins> watches;
};

constexpr unsigned actions = 1 + origins;

// `begin` starts operations, `look` is called after each step and says whether all of them are over.
unsigned long in_every_order(std::uint64_t pool_bytes, const std::function<void(Bed&)>& begin,
                             const std::function<bool(Bed&)>& look) {
  Choices choices;
  unsigned long orders = 0;
  do {
    choices.begin();
    Bed bed(pool_bytes);
    begin(bed);
    bed.note_posted();
    unsigned left = deviations;
    unsigned steps = 0;
    bool is_over = false;
    for (; !is_over && steps < most_steps; ++steps) {
      unsigned deviation = 0;
      if (left != 0 && steps < steps_with_choices) deviation = choices.choose(actions);
      left -= deviation != 0 ? 1u : 0u;
      bed.step((steps + deviation) % actions);
      is_over = look(bed);
    }
    ++orders;
    EXPECT_TRUE(is_over) << "it does not end";
    bed.rig.expect_quiet();
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "order " << orders << ": " << choices.describe();
      break;
    }
  } while (choices.next());
  return orders;
}

// Each origin puts and accumulates more than it has credits for, and fences.
TEST(MessageOrders, keep_credits_and_let_no_fence_return_early) {
  for (const std::uint64_t pool_bytes : {std::uint64_t{0}, 16 * protocol::message_bytes}) {
    struct Work {
      std::array<std::int64_t, 4> put{1, 2, 3, 4};
      std::int64_t term = 10;
      nb::Completion written, fenced;
      bool is_seen = false;
    };
    std::array<std::unique_ptr<Work>, origins> works;
    const auto begin = [&](Bed& bed) {
      for (std::size_t each = 0; each < origins; ++each) {
        works[each] = std::make_unique<Work>();
        Work& work = *works[each];
        for (std::size_t at = 0; at < work.put.size(); ++at)
          bed.origin(each).start(
              contiguous(Action::put, &work.put[at], bed.rig.region + 8 * (4 * each + at), 8), bed.rig.far,
              work.written);
        bed.origin(each).start(whole::acc_of(&work.term, bed.rig.region + 64), bed.rig.far, work.written);
        bed.origin(each).start_fence(0, work.fenced);
      }
    };
    const auto look = [&](Bed& bed) {
      bool is_over = true;
      for (std::size_t each = 0; each < origins; ++each) {
        Work& work = *works[each];
        if (work.fenced.done() && !work.is_seen) {
          work.is_seen = true;
          for (std::size_t at = 0; at < 4; ++at)
            EXPECT_EQ(whole::word_at(bed.rig, 4 * each + at), work.put[at])
                << "a fence before a put was applied";
          EXPECT_GE(whole::word_at(bed.rig, 8), 10) << "a fence before an accumulate was applied";
        }
        is_over &= work.is_seen && work.written.done();
      }
      if (is_over) {
        EXPECT_EQ(whole::word_at(bed.rig, 8), 20);
      }
      return is_over;
    };
    std::printf("credits and fences, %s: %lu orders\n", pool_bytes == 0 ? "one credit each" : "with a pool",
                in_every_order(pool_bytes, begin, look));
  }
}

// A body in chunks, a small put behind it, a get that must see both, and a fence; the other origin has rmws.
TEST(MessageOrders, let_a_get_and_a_fence_see_bodies_under_way) {
  const std::vector<std::byte> body = test::pattern(3 * whole::chunk, 5);
  struct Work {
    std::int64_t small = 7, got = 0, old = -1, later = -1;
    nb::Completion written, read, fenced, added;
    bool is_seen = false;
  };
  std::unique_ptr<Work> work;
  const auto begin = [&](Bed& bed) {
    work = std::make_unique<Work>();
    std::byte* const far = bed.rig.region;
    bed.origin(0).start(contiguous(Action::put, const_cast<std::byte*>(body.data()), far, body.size()),
                        bed.rig.far, work->written);
    bed.origin(0).start(contiguous(Action::put, &work->small, far + body.size(), 8), bed.rig.far,
                        work->written);
    bed.origin(0).start(contiguous(Action::get, &work->got, far + body.size() - 8, 8), bed.rig.far,
                        work->read);
    bed.origin(0).start_fence(0, work->fenced);
    bed.origin(1).start_atomic(whole::add_to(&work->old, far + 65536, 1), bed.rig.far, work->added);
    bed.origin(1).start_atomic(whole::add_to(&work->later, far + 65536, 1), bed.rig.far, work->added);
  };
  const auto look = [&](Bed& bed) {
    if (work->fenced.done() && !work->is_seen) {
      work->is_seen = true;
      EXPECT_EQ(std::memcmp(bed.rig.region, body.data(), body.size()), 0)
          << "a fence before a body was applied";
      EXPECT_EQ(whole::word_at(bed.rig, body.size() / 8), 7);
    }
    const bool is_over = work->is_seen && work->written.done() && work->read.done() && work->added.done();
    if (is_over) {
      EXPECT_EQ(std::memcmp(&work->got, body.data() + body.size() - 8, 8), 0)
          << "a get before an earlier put";
      EXPECT_EQ(work->old, 0);
      EXPECT_EQ(work->later, 1);
    }
    return is_over;
  };
  std::printf("bodies, a get and a fence: %lu orders\n",
              in_every_order(16 * protocol::message_bytes, begin, look));
}

}  // namespace
}  // namespace comex::rules
