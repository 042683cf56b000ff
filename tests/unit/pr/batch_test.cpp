#include "pr/batch.h"

#include <gtest/gtest.h>

#include <vector>

namespace comex::pr {
namespace {

using protocol::BatchItem;
using protocol::RepeatedItem;
using protocol::RequestHeader;
using protocol::Verb;

constexpr std::uint8_t acc_of_doubles = protocol::detail_of(Scalar::float64, protocol::Layout::contiguous);

// The bytes of a batch, as its origin writes them.
class Written {
 public:
  Written() {
    header_.verb = Verb::batch;
    append(header_);
  }
  template <class T>
  Written& append(const T& part) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof part);
    std::memcpy(bytes_.data() + at, &part, sizeof part);
    return *this;
  }
  Written& item(const BatchItem& head) {
    header_.set_items(header_.items() + 1);
    return append(head);
  }
  Written& repeated(std::int32_t step) {
    header_.set_items(header_.items() + 1);
    return append(RepeatedItem{.step = step});
  }
  Written& cut(std::size_t bytes) {
    bytes_.resize(bytes_.size() - bytes);
    return *this;
  }
  std::span<const std::byte> message() const { return bytes_; }
  BatchShape shape(std::uint32_t slot = 0) const {
    RequestHeader header = header_;
    header.slot = slot;
    return read_batch(header, bytes_, protocol::message_bytes);
  }

 private:
  RequestHeader header_;
  std::vector<std::byte> bytes_;
};

template <class T>
T load_of(const Item& item, const Written& batch) {
  T value;
  std::memcpy(&value, batch.message().data() + item.load, sizeof value);
  return value;
}

TEST(Batch, a_repeated_item_differs_in_place_and_data_alone) {
  const Written batch = Written()
                            .item({Verb::put, 0, 8, 5, 1000})
                            .append(std::uint64_t{1})
                            .repeated(-16)
                            .append(std::uint64_t{2})
                            .repeated(0)
                            .append(std::uint64_t{3});
  EXPECT_TRUE(batch.shape().is_sound);
  const std::uint64_t places[] = {1000, 984, 984};
  Item item;
  for (std::uint64_t i = 0; i < 3; ++i) {
    go_to_next(item, batch.message());
    EXPECT_EQ(item.head.verb, Verb::put);
    EXPECT_EQ(item.head.target, 5u);
    EXPECT_EQ(item.head.bytes, 8u);
    EXPECT_EQ(item.head.offset, places[i]);
    EXPECT_EQ(load_of<std::uint64_t>(item, batch), i + 1);
  }
  EXPECT_EQ(item.end, batch.message().size());
}

TEST(Batch, a_repeated_accumulate_has_the_scale_of_the_one_before) {
  const Written batch =
      Written().item({Verb::acc, acc_of_doubles, 8, 5, 1000}).append(2.5).append(1.0).repeated(8).append(4.0);
  EXPECT_TRUE(batch.shape().is_sound);
  Item item;
  go_to_next(item, batch.message());
  go_to_next(item, batch.message());
  double scale = 0;
  std::memcpy(&scale, item.scale.bytes, sizeof scale);
  EXPECT_EQ(scale, 2.5);
  EXPECT_EQ(load_of<double>(item, batch), 4.0);
  EXPECT_EQ(item.head.offset, 1008u);
  EXPECT_EQ(item.end, batch.message().size());
}

TEST(Batch, the_footprint_covers_repeated_items) {
  const Written batch = Written().item({Verb::get, 0, 8, 5, 1000}).repeated(-900).repeated(5000);
  const BatchShape shape = batch.shape(1);
  EXPECT_TRUE(shape.is_sound);
  EXPECT_EQ(shape.footprint.low, 100u);
  EXPECT_EQ(shape.footprint.high, 5108u);
  EXPECT_FALSE(shape.footprint.many_targets);
}

TEST(Batch, nothing_repeats_before_the_first_item) {
  EXPECT_FALSE(Written().repeated(8).append(std::uint64_t{1}).shape().is_sound);
}

TEST(Batch, nothing_repeats_a_named_item) {
  const Written named = Written()
                            .item({Verb::put, protocol::named_item, 8, 5, 1000})
                            .append(TargetName{})
                            .append(std::uint64_t{1});
  EXPECT_TRUE(named.shape().is_sound);
  EXPECT_FALSE(Written(named).repeated(8).append(std::uint64_t{2}).shape().is_sound);
}

TEST(Batch, a_repeated_item_that_is_cut_off_is_unsound) {
  const Written whole = Written()
                            .item({Verb::put, 0, 16, 5, 1000})
                            .append(std::uint64_t{1})
                            .append(std::uint64_t{2})
                            .repeated(16)
                            .append(std::uint64_t{3})
                            .append(std::uint64_t{4});
  EXPECT_TRUE(whole.shape().is_sound);
  for (std::size_t bytes = 1; bytes < 24; ++bytes)
    EXPECT_FALSE(Written(whole).cut(bytes).shape().is_sound) << bytes;
}

TEST(Batch, an_unknown_verb_is_no_repetition) {
  const Written put = Written().item({Verb::put, 0, 8, 5, 1000}).append(std::uint64_t{1});
  EXPECT_FALSE(Written(put)
                   .append(RepeatedItem{.mark = protocol::item_repeats - 1})
                   .append(std::uint64_t{2})
                   .shape()
                   .is_sound);
}

}  // namespace
}  // namespace comex::pr
