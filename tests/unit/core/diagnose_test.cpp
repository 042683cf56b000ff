#include "core/diagnose.h"

#include <gtest/gtest.h>

namespace comex {
namespace {

// An address of the test's choice, never followed.
const void* at(std::uintptr_t value) {
  return reinterpret_cast<const void*>(value);  // NOLINT(performance-no-int-to-ptr)
}

TEST(Diagnose, names_rank_host_operation_target_and_address) {
  EXPECT_EQ(format_line({3, "node7"}, {"put", 5, at(0x7f00deadbee8)}, "one byte past the end"),
            "comex: rank 3 on node7: put to target 5, address 0x7f00deadbee8: one byte past the end");
}

TEST(Diagnose, names_the_endpoint_whose_operation_it_is) {
  EXPECT_EQ(format_line({1, "a", 3}, {"unlock", 0}, "x"),
            "comex: rank 1, endpoint 3, on a: unlock to target 0: x");
}

TEST(Diagnose, leaves_out_what_does_not_apply) {
  EXPECT_EQ(format_line({0, "a"}, {}, "no room"), "comex: rank 0 on a: no room");
  EXPECT_EQ(format_line({0, "a"}, {"fence", 2, nullptr}, "x"), "comex: rank 0 on a: fence to target 2: x");
  EXPECT_EQ(format_line({0, "a"}, {"free", -1, at(16)}, "x"), "comex: rank 0 on a: free, address 0x10: x");
}

TEST(Diagnose, is_one_line_whatever_the_parts_hold) {
  const std::string line = format_line({1, "bad\nhost"}, {"get"}, "first\r\nsecond\tthird\n\n");
  EXPECT_EQ(line, "comex: rank 1 on bad host: get: first  second third");
}

TEST(Diagnose, speaks_before_rank_and_host_are_known) {
  EXPECT_EQ(format_line({}, {}, "bad setting"), "comex: a rank on an unknown host: bad setting");
}

}  // namespace
}  // namespace comex
