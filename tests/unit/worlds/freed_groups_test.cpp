// Which groups keep their members connected after they were freed.
#include "worlds/bridge/bridges.h"

#include <gtest/gtest.h>

namespace comex::worlds {
namespace {

const Gpid a0{1, 0};
const Gpid a1{1, 1};
const Gpid b0{2, 0};
const Gpid b1{2, 1};
const Gpid c0{3, 0};

TEST(FreedGroups, keep_their_members_together) {
  FreedGroups freed;
  EXPECT_FALSE(freed.has_any());
  freed.add({a0, a1, b0});
  EXPECT_TRUE(freed.has({a0, b0}));
  EXPECT_FALSE(freed.has({a0, b1}));
  EXPECT_TRUE(freed.has_any());
}

// Each pair of the three is together, but nothing tells b0 that a0 and a1 know of that.
TEST(FreedGroups, do_not_add_up) {
  FreedGroups freed;
  freed.add({a0, b0});
  freed.add({a1, b0});
  freed.add({a0, a1});
  EXPECT_FALSE(freed.has({a0, a1, b0}));
}

TEST(FreedGroups, are_let_go_with_a_group_that_has_all_of_them) {
  FreedGroups freed;
  freed.add({a0, b0});
  freed.disconnected({a0, b1});
  EXPECT_TRUE(freed.has({a0, b0}));
  freed.disconnected({a0, a1, b0, b1});
  EXPECT_FALSE(freed.has_any());
}

// Groups of endpoints name a process more than once.
TEST(FreedGroups, of_endpoints_go_with_a_group_of_their_processes) {
  FreedGroups freed;
  freed.add({a0, a0, b0, b0});
  freed.disconnected({a0, b0});
  EXPECT_FALSE(freed.has_any());
}

TEST(FreedGroups, go_with_a_world_of_theirs_whose_numbers_may_come_again) {
  FreedGroups freed;
  freed.add({a0, b0});
  freed.add({a0, b0, c0});
  freed.world_gone(c0.world);
  EXPECT_TRUE(freed.has({a0, b0}));
  EXPECT_FALSE(freed.has({a0, c0}));
  freed.world_gone(b0.world);
  EXPECT_FALSE(freed.has_any());
}

}  // namespace
}  // namespace comex::worlds
