// Which eager limit a wire goes by.
#include "api/eager.h"

#include <gtest/gtest.h>

namespace comex::api {
namespace {

constexpr transport::EagerBytes known{4032, 65472};

TEST(Eager, is_what_mpi_tells_of_where_the_wire_reaches) {
  EXPECT_EQ(eager_bytes(-1, known, false), 4032u);
  EXPECT_EQ(eager_bytes(-1, known, true), 65472u);
  EXPECT_EQ(eager_bytes(-1, {}, true), 0u);
}

TEST(Eager, can_be_lowered_and_never_raised) {
  EXPECT_EQ(eager_bytes(2000, known, false), 2000u);
  EXPECT_EQ(eager_bytes(2007, known, true), 2000u) << "whole elements";
  EXPECT_EQ(eager_bytes(16384, known, false), 4032u);
  EXPECT_EQ(eager_bytes(0, known, true), 0u);
}

TEST(Eager, can_be_set_where_mpi_does_not_tell) {
  EXPECT_EQ(eager_bytes(16384, {}, true), 16384u);
  EXPECT_EQ(eager_bytes(std::int64_t{1} << 40, {}, true), 1u << 20);
}

}  // namespace
}  // namespace comex::api
