// Bytes that come from outside: whatever does not fit or is no value of its type ends the unpacking.
#include "core/packing.h"

#include <gtest/gtest.h>

namespace comex {
namespace {

TEST(Packing, gives_back_what_was_packed) {
  const Bytes bytes = Packer().value(true).value(7).text("seven").value(false).take();
  Unpacker unpacker(bytes);
  EXPECT_TRUE(unpacker.value<bool>());
  EXPECT_EQ(unpacker.value<int>(), 7);
  EXPECT_EQ(unpacker.text(), "seven");
  EXPECT_FALSE(unpacker.value<bool>());
  EXPECT_TRUE(unpacker.is_done());
}

TEST(Packing, takes_no_other_byte_for_a_truth_value) {
  const Bytes bytes = Packer().value(std::uint8_t{2}).value(true).take();
  Unpacker unpacker(bytes);
  EXPECT_FALSE(unpacker.value<bool>());
  EXPECT_FALSE(unpacker.ok());
  EXPECT_FALSE(unpacker.value<bool>()) << "nothing comes after the first that does not fit";
}

TEST(Packing, reads_no_array_that_is_longer_than_the_bytes) {
  const Bytes bytes = Packer().value(std::uint64_t{1} << 61).take();
  Unpacker unpacker(bytes);
  EXPECT_TRUE(unpacker.array<std::uint64_t>().empty());
  EXPECT_FALSE(unpacker.ok());
}

}  // namespace
}  // namespace comex
