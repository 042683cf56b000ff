#include "transport/solo_collective.h"

#include <gtest/gtest.h>

#include <vector>

namespace comex::transport {
namespace {

TEST(SoloCollective, agrees_with_itself_and_gathers_its_own_block) {
  SoloCollective solo;
  EXPECT_EQ(solo.size(), 1);
  EXPECT_TRUE(solo.all_agree(true));
  EXPECT_FALSE(solo.all_agree(false));
  const std::vector<std::byte> mine{std::byte{1}, std::byte{2}};
  std::vector<std::byte> all(2);
  solo.all_gather(mine, all);
  EXPECT_EQ(all, mine);
}

}  // namespace
}  // namespace comex::transport
