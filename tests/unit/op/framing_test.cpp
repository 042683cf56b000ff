// From requests to bytes, as pure functions.
#include "op/remote/framing.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace comex::op::remote {
namespace {

using protocol::Atomic;
using protocol::Verb;

constexpr RemoteTarget remote_target = {
    .world = 9, .server = 3, .target = 4, .offset_base = 0, .by = {2, 5}, .named = {7, 1}};

void expect_addressed(const Header& header) {
  EXPECT_EQ(header.world, 9u);
  EXPECT_EQ(header.target, 4u);
  EXPECT_EQ(header.origin, 33u);
  EXPECT_EQ(header.by.endpoint, 2u);
  EXPECT_EQ(header.by.rank, 5u);
  EXPECT_EQ(header.named.group, 7);
  EXPECT_EQ(header.named.rank, 1);
}

TEST(Framing, says_in_every_header_who_asks_whom) {
  const Header header = make_header(Verb::fence, remote_target, {33, protocol::errors_return});
  EXPECT_EQ(header.verb, Verb::fence);
  EXPECT_EQ(header.flags, protocol::errors_return);
  expect_addressed(header);
}

TEST(Framing, adds_the_flags_of_the_sender_to_those_of_the_operation) {
  Header header;
  header.flags = protocol::non_blocking;
  address(header, remote_target, {33, protocol::errors_return});
  EXPECT_EQ(header.flags, protocol::non_blocking | protocol::errors_return);
  expect_addressed(header);
}

TEST(Framing, puts_small_data_behind_the_header) {
  std::uint64_t value = 42;
  Operation put;
  put.near = reinterpret_cast<std::byte*>(&value);
  put.far = reinterpret_cast<std::byte*>(4096);
  put.patch = contiguous_patch(sizeof value);
  const Data data(put, make_plan(put, Sizes()));
  const Header header = header_of(data, remote_target, {33});
  EXPECT_EQ(header.offset, 4096u);
  EXPECT_EQ(header.bytes, 8u);
  EXPECT_EQ(header.flags, protocol::body_inline);
  expect_addressed(header);
  std::array<std::byte, protocol::message_bytes> message;
  ASSERT_EQ(write_data(data, remote_target, header, message.data()), sizeof header + sizeof value);
  EXPECT_EQ(std::memcmp(message.data(), &header, sizeof header), 0);
  EXPECT_EQ(std::memcmp(message.data() + sizeof header, &value, sizeof value), 0);
}

TEST(Framing, sends_the_desired_value_of_a_compare_swap_only) {
  std::array<std::byte, protocol::message_bytes> message;
  WordRequest word;
  word.header.verb = Verb::rmw;
  word.desired = 11;
  EXPECT_EQ(write_word(word, message.data()), sizeof word.header);
  word.header.atomic = Atomic::compare_swap;
  ASSERT_EQ(write_word(word, message.data()), sizeof word.header + sizeof word.desired);
  EXPECT_EQ(std::memcmp(message.data() + sizeof word.header, &word.desired, sizeof word.desired), 0);
}

}  // namespace
}  // namespace comex::op::remote
