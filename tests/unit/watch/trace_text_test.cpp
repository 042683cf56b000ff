#include "watch/trace_text.h"

#include <gtest/gtest.h>

#include <sstream>

namespace comex::watch {
namespace {

using trace::Event;
using trace::What;

TracedRank worker_3() {
  TracedRank rank;
  rank.rank = 4;
  rank.worker = 3;
  rank.host = 1;
  rank.host_name = "node7";
  rank.worker_of_slot = {2, 3, -1};
  rank.hosts = 2;
  rank.shift_ns = -1000;
  return rank;
}

std::string text_of(std::vector<Event> events, const TracedRank& rank = worker_3()) {
  std::ostringstream out;
  write_events(out, events, rank);
  return out.str();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TraceText, names_the_track) {
  const std::string text = text_of({});
  EXPECT_TRUE(has(text, R"("name":"host 1 node7")")) << text;
  EXPECT_TRUE(has(text, R"x("name":"worker 3 (rank 4)")x")) << text;
  EXPECT_FALSE(has(text, "later events"));
  TracedRank strange = worker_3();
  strange.host_name = "a\"b\\c\x80";
  EXPECT_TRUE(has(text_of({}, strange), R"("name":"host 1 a?b?c?")"));
  TracedRank full = worker_3();
  full.lost = 12;
  EXPECT_TRUE(has(text_of({}, full), "12 later events are not here"));
}

TEST(TraceText, names_whose_memory_an_operation_goes_to) {
  const auto target = [](std::int32_t row) {
    return text_of({{.begin_ns = 1000, .end_ns = 2500, .bytes = 8, .name = "put", .peer = row}});
  };
  EXPECT_TRUE(has(
      target(0), R"("name":"put","ts":0.000,"dur":1.500,"pid":1,"tid":4,"args":{"to":"worker 2","bytes":8})"))
      << target(0);
  EXPECT_TRUE(has(target(4), R"("to":"host 1")"));
  EXPECT_TRUE(has(target(5), R"("to":"another world")"));
}

TEST(TraceText, a_slice_that_does_not_nest_has_a_track_of_its_own) {
  const std::string text = text_of({{.begin_ns = 1000, .end_ns = 3000, .name = "put", .peer = 0},
                                    {.begin_ns = 2000, .end_ns = 4000, .name = "get", .peer = 0},
                                    {.begin_ns = 2500, .end_ns = 2600, .name = "acc", .peer = 0}});
  EXPECT_TRUE(has(text, R"("ph":"X","cat":"comex","name":"put")")) << text;
  EXPECT_TRUE(has(text, R"("ph":"b","cat":"beside","name":"get")")) << text;
  EXPECT_TRUE(has(text, R"("ph":"e","cat":"beside","name":"get")")) << text;
  EXPECT_TRUE(has(text, R"("ph":"X","cat":"comex","name":"acc")")) << text;
}

// Both sides count on where the number of 16 bits begins again.
TEST(TraceText, both_ends_of_an_arrow_have_one_name) {
  std::vector<Event> sent;
  std::vector<Event> served;
  for (std::uint64_t i = 1; i <= 70'000; ++i) {
    Event event{.begin_ns = 1000 + i, .end_ns = 1000 + i, .sequence = static_cast<std::uint16_t>(i)};
    event.what = What::sent;
    event.peer = 9;
    sent.push_back(event);
    event.what = What::served;
    event.peer = 4;
    served.push_back(event);
  }
  TracedRank server;
  server.rank = 9;
  const std::string from = text_of(sent);
  const std::string to = text_of(served, server);
  for (const char* const name : {R"("id":"4-9-1")", R"("id":"4-9-65536")", R"("id":"4-9-70000")"}) {
    EXPECT_TRUE(has(from, name)) << name;
    EXPECT_TRUE(has(to, name)) << name;
  }
  EXPECT_TRUE(has(from, R"("ph":"s","bp":"e","cat":"request")"));
  EXPECT_TRUE(has(to, R"("ph":"f","bp":"e","cat":"request")"));
}

// Of a worker that serves itself.
TEST(TraceText, arrows_of_both_ways_between_two_ranks_count_apart) {
  std::vector<Event> events;
  for (std::uint64_t i = 1; i <= 70'001; ++i) {
    Event event{.begin_ns = 1000 + i, .end_ns = 1000 + i, .sequence = static_cast<std::uint16_t>(i)};
    event.what = What::sent;
    event.peer = 9;
    if (i == 70'001) {
      event.what = What::served;
      event.sequence = 1;
    }
    events.push_back(event);
  }
  const std::string text = text_of(events);
  EXPECT_TRUE(has(text, R"("id":"4-9-70000")"));
  EXPECT_TRUE(has(text, R"("id":"9-4-1")"));
}

}  // namespace
}  // namespace comex::watch
