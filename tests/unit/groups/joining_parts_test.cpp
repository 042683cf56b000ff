// What another leader may say that no leader would.
#include "groups/joining_parts.h"

#include <gtest/gtest.h>

namespace comex::groups::joining {
namespace {

TEST(JoiningParts, a_verdict_says_what_went_wrong) {
  EXPECT_TRUE(unpack_verdict(pack_verdict({})));
  const Status failed = unpack_verdict(pack_verdict(caller_error("the reason")));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.failure().text, "the reason");
  EXPECT_EQ(failed.failure().fault, Fault::caller);
}

TEST(JoiningParts, a_verdict_without_a_reason_is_malformed) {
  for (const Bytes& bytes :
       {Packer().value(false).value(Fault::caller).text("").take(),
        Packer().value(false).value(std::uint8_t{7}).text("the reason").take(), Bytes(), Bytes(3)}) {
    const Status failed = unpack_verdict(bytes);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.failure().text.find("malformed"), std::string::npos) << failed.failure().text;
  }
}

}  // namespace
}  // namespace comex::groups::joining
