#include "core/diagnose.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

namespace comex {
namespace {

// An address of the test's choice, never followed.
const void* at(std::uintptr_t value) {
  return reinterpret_cast<const void*>(value);  // NOLINT(performance-no-int-to-ptr)
}

TEST(Diagnose, names_rank_host_operation_target_and_address) {
  EXPECT_EQ(format_line({3, "node7"}, {"put", Target(5), at(0x7f00deadbee8)}, "one byte past the end"),
            "comex: rank 3 on node7: put to target 5, address 0x7f00deadbee8: one byte past the end");
}

TEST(Diagnose, names_the_endpoint_whose_operation_it_is) {
  EXPECT_EQ(format_line({1, "a", 3}, {"unlock", Target(0)}, "x"),
            "comex: rank 1, endpoint 3, on a: unlock to target 0: x");
}

TEST(Diagnose, leaves_out_what_does_not_apply) {
  EXPECT_EQ(format_line({0, "a"}, {}, "no room"), "comex: rank 0 on a: no room");
  EXPECT_EQ(format_line({0, "a"}, {"fence", Target(2)}, "x"), "comex: rank 0 on a: fence to target 2: x");
  EXPECT_EQ(format_line({0, "a"}, {"free", {}, at(16)}, "x"), "comex: rank 0 on a: free, address 0x10: x");
}

TEST(Diagnose, names_a_target_as_its_caller_did_and_who_it_is_where_that_does_not_say_it) {
  constexpr WorldId own = 3;
  const auto line = [](const Target& target) { return format_line({0, "a"}, {"get", target}, "x"); };
  const TargetName by_world;
  const TargetName by_group{7, 1};
  EXPECT_EQ(line({by_world, Gpid{own, 5}, own}), "comex: rank 0 on a: get to target 5: x");
  EXPECT_EQ(line({by_group, Gpid{own, 5}, own}),
            "comex: rank 0 on a: get to target 1 of group 7 (worker 5): x");
  EXPECT_EQ(line({by_group, Gpid{own, 1}, own}), "comex: rank 0 on a: get to target 1 of group 7: x");
  EXPECT_EQ(line({by_group, Gpid{9, 5}, own}),
            "comex: rank 0 on a: get to target 1 of group 7 (worker 5 of world 9): x");
  EXPECT_EQ(line({by_group, Gpid{9, 1}, own}),
            "comex: rank 0 on a: get to target 1 of group 7 (worker 1 of world 9): x");
  EXPECT_EQ(line({by_group, std::nullopt, own}), "comex: rank 0 on a: get to target 1 of group 7: x");
}

TEST(Diagnose, names_the_world_of_a_target_whose_caller_is_of_no_known_world) {
  EXPECT_EQ(format_line({0, "a"}, {"get", {{}, Gpid{9, 1}, std::nullopt}}, "x"),
            "comex: rank 0 on a: get to target 1 (worker 1 of world 9): x");
}

TEST(Diagnose, is_one_line_whatever_the_parts_hold) {
  const std::string line = format_line({1, "bad\nhost"}, {"get"}, "first\r\nsecond\tthird\n\n");
  EXPECT_EQ(line, "comex: rank 1 on bad host: get: first  second third");
}

TEST(Diagnose, speaks_before_rank_and_host_are_known) {
  EXPECT_EQ(format_line({}, {}, "bad setting"), "comex: a rank on an unknown host: bad setting");
}

}  // namespace
TEST(Diagnose, lists_numbers_and_counts_those_that_are_too_many) {
  EXPECT_EQ(listed("worker", {}), "");
  const std::vector<int> few{3, 5, 7};
  EXPECT_EQ(listed("worker", std::span(few).first(1)), "worker 3");
  EXPECT_EQ(listed("worker", std::span(few).first(2)), "workers 3 and 5");
  EXPECT_EQ(listed("worker", few), "workers 3, 5 and 7");
  const std::vector<int> eight{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(listed("MPI rank", eight), "MPI ranks 0, 1, 2, 3, 4, 5, 6 and 7");
  const std::vector<int> nine{0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(listed("MPI rank", nine), "MPI ranks 0, 1, 2, 3, 4, 5, 6 and 2 others");
}

}  // namespace comex
