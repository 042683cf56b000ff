// What goes into a bundle comes out of it.
#include "transport/bundle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace comex::transport {
namespace {

using protocol::bundle_bytes;
using protocol::message_bytes;

// Exactly as long as what is received, so that sanitizers see overreads.
std::vector<std::byte> bundle_of(const std::vector<std::size_t>& lengths) {
  std::vector<std::byte> buffer(bundle_bytes, std::byte{0xee});
  BundleWriter writer(buffer.data());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    EXPECT_TRUE(writer.has_capacity(lengths[i]));
    writer.add(std::vector<std::byte>(lengths[i], static_cast<std::byte>(i + 1)));
  }
  buffer.resize(writer.finish());
  buffer.shrink_to_fit();
  return buffer;
}

TEST(Bundle, gives_back_messages_of_any_length_in_their_order) {
  const std::vector<std::size_t> lengths = {1, 8, 56, 79, 80, 81, message_bytes, 7, message_bytes};
  const std::vector<std::byte> bundle = bundle_of(lengths);
  ASSERT_TRUE(BundleReader::is_bundle(bundle));
  BundleReader reader(bundle);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    ASSERT_FALSE(reader.empty());
    const std::span<const std::byte> message = reader.take();
    ASSERT_EQ(message.size(), lengths[i]);
    EXPECT_TRUE(
        std::ranges::all_of(message, [&](std::byte b) { return b == static_cast<std::byte>(i + 1); }));
  }
  EXPECT_TRUE(reader.empty());
}

TEST(Bundle, tells_bodies_from_messages_by_their_tags) {
  std::vector<std::byte> buffer(bundle_bytes);
  BundleWriter writer(buffer.data());
  writer.add(std::vector<std::byte>(80, std::byte{1}));
  writer.add(std::vector<std::byte>(80, std::byte{2}));
  writer.add(std::vector<std::byte>(4097, std::byte{3}), 17);
  buffer.resize(writer.finish());
  BundleReader reader(buffer);
  for (const int tag : {0, 0, 17}) {
    ASSERT_FALSE(reader.empty());
    ASSERT_EQ(reader.tag(), tag);
    const std::span<const std::byte> part = reader.take();
    EXPECT_EQ(part.size(), tag == 0 ? 80U : 4097U);
  }
  EXPECT_TRUE(reader.empty());
  EXPECT_EQ(reader.tag(), 0);
}

TEST(Bundle, has_room_for_a_short_body_behind_the_longest_message_and_no_byte_more) {
  std::vector<std::byte> buffer(bundle_bytes);
  BundleWriter writer(buffer.data());
  writer.add(std::vector<std::byte>(message_bytes));
  EXPECT_TRUE(writer.has_capacity(short_body_bytes));
  EXPECT_FALSE(writer.has_capacity(short_body_bytes + 1));
}

TEST(Bundle, takes_five_of_the_longest_messages_and_no_byte_more) {
  const std::vector<std::byte> full = bundle_of(std::vector<std::size_t>(5, message_bytes));
  EXPECT_EQ(full.size(), bundle_bytes);
  std::vector<std::byte> buffer(bundle_bytes);
  BundleWriter writer(buffer.data());
  for (int i = 0; i < 4; ++i) writer.add(std::vector<std::byte>(message_bytes));
  writer.add(std::vector<std::byte>(message_bytes - 8));
  EXPECT_FALSE(writer.has_capacity(1));
}

TEST(Bundle, leaves_no_byte_of_the_buffer_unwritten) {
  const std::vector<std::byte> bundle = bundle_of({3});
  EXPECT_EQ(std::ranges::count(bundle, std::byte{0xee}), 0);
}

TEST(Bundle, is_told_from_every_message_by_its_first_byte) {
  using protocol::Verb;
  EXPECT_FALSE(BundleReader::is_bundle({}));
  for (const Verb verb : {Verb::put, Verb::leave, Verb::data, Verb::data_batch, Verb::control}) {
    const std::byte first{static_cast<unsigned char>(verb)};
    EXPECT_FALSE(BundleReader::is_bundle({&first, 1}));
  }
}

TEST(BundleDeathTest, that_begins_with_a_body_is_a_bug) {
  std::vector<std::byte> buffer(bundle_bytes);
  BundleWriter writer(buffer.data());
  EXPECT_DEATH(writer.add(std::vector<std::byte>(8), 17), "bug at");
  std::vector<std::byte> bundle = bundle_of({8});
  bundle[sizeof(protocol::BundleHeader) + offsetof(protocol::BundlePart, tag)] = std::byte{17};
  EXPECT_DEATH(BundleReader{bundle}, "bug at");
}

TEST(BundleDeathTest, that_does_not_add_up_is_a_bug) {
  std::vector<std::byte> cut = bundle_of({100, 100});
  cut.pop_back();
  EXPECT_DEATH(
      {
        BundleReader reader(cut);
        reader.take();
        reader.take();
      },
      "bug at");
  std::vector<std::byte> longer = bundle_of({100});
  longer.push_back({});
  EXPECT_DEATH(BundleReader(longer).take(), "bug at");
}

}  // namespace
}  // namespace comex::transport
