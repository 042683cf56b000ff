// Refusals on their way: of one call, and of one that names two places.
#include "conformance/whole_rig.h"

namespace comex::whole {
namespace {

constexpr std::size_t beyond = 1 << 24;

// A vector call of several operations, each of one segment that is wrong. They share a completion.
class VectorCall {
 public:
  VectorCall(Rig& rig, std::uint32_t number) : rig_(rig), number_(number) {}

  void put(std::uint64_t bytes, std::size_t at = beyond) {
    source_.resize(std::max<std::size_t>(source_.size(), bytes));
    void* near = source_.data();
    void* far = rig_.region + at;
    Operation operation;
    operation.action = Action::put;
    operation.layout = operation.called = protocol::Layout::vector;
    operation.scatter = {&near, &far, 1, bytes};
    operation.call = number_;
    rig_.origin().start(operation, rig_.far, completion);
  }

  nb::Completion completion;

 private:
  Rig& rig_;
  std::uint32_t number_;
  std::vector<std::byte> source_ = std::vector<std::byte>(64 * 1024);
};

class RefusedCalls : public testing::Test {
 protected:
  RefusedCalls() { rig.origin().set_errors_return(true); }
  std::uint64_t told_by_fence() {
    rig.fence();
    return rig.origin().take_failures(rig.far);
  }

  static std::uint64_t by_wait(VectorCall& call) {
    return call.completion.take_failure() != nb::OperationError::none ? 1 : 0;
  }
  std::uint64_t told(VectorCall& call) { return by_wait(call) + told_by_fence(); }

  static constexpr std::size_t small = 100, large = 40'000;
  Rig rig;
};

// A message and a body, refused one after the other: by the wait if that is still to come, else by the fence.
TEST_F(RefusedCalls, are_told_by_the_wait_or_by_the_fence) {
  for (const bool is_small_first : {true, false}) {
    VectorCall call(rig, 1 + (is_small_first ? 1 : 0));
    call.put(is_small_first ? small : large);
    call.put(is_small_first ? large : small, beyond + (1 << 20));
    EXPECT_FALSE(call.completion.done());
    rig.finish(call.completion);
    EXPECT_EQ(told(call), 1u);
    EXPECT_EQ(told_by_fence(), 0u);
  }
  EXPECT_EQ(rig.refused, 2u);
}

TEST_F(RefusedCalls, of_messages_alone_are_told_by_one_fence) {
  VectorCall call(rig, 1);
  for (std::size_t i = 0; i < 3; ++i) call.put(small, beyond + 1000 * i);
  rig.finish(call.completion);
  EXPECT_EQ(told(call), 1u);
  EXPECT_EQ(told_by_fence(), 0u);
  EXPECT_EQ(rig.refused, 1u);
}

// Of two calls that are refused in turns each is told once, and one line is said about it.
TEST_F(RefusedCalls, that_are_under_way_together_are_told_once_each) {
  for (std::uint32_t number = 1; number < 9; number += 2) {
    VectorCall first(rig, number), second(rig, number + 1);
    first.put(small);
    first.put(large, beyond + (1 << 20));
    second.put(small, beyond + (2 << 20));
    second.put(large, beyond + (3 << 20));
    rig.finish(first.completion);
    rig.finish(second.completion);
    const std::uint64_t sum = by_wait(first) + by_wait(second) + told_by_fence();
    EXPECT_EQ(sum, 2u);
    EXPECT_EQ(told_by_fence(), 0u);
    EXPECT_EQ(rig.refused, number + 1);
  }
}

// Far away, behind the end of everything, or not aligned; by message and in chunks.
TEST_F(RefusedCalls, with_a_wrong_signal_leave_its_data_unwritten) {
  unsigned refused = 0;
  for (const std::size_t bytes :
       {std::size_t{8}, std::size_t{3912}, std::size_t{3913}, std::size_t{100'000}}) {
    std::vector<std::byte> source = pattern(bytes, 4), back(bytes);
    const Operation put = contiguous(Action::put, source.data(), rig.region + 64, bytes);
    for (const std::size_t word : {beyond, std::size_t{12}}) {
      nb::Completion done;
      rig.origin().start_put_signal(put, rig.region + word, 17, rig.far, done);
      rig.finish(done);
      EXPECT_EQ((done.take_failure() != nb::OperationError::none ? 1u : 0u) + told_by_fence(), 1u)
          << "by the call or by the fence";
      EXPECT_EQ(rig.refused, ++refused) << bytes << ", " << word;
      EXPECT_EQ(std::memcmp(rig.region + 64, back.data(), bytes), 0) << bytes << ", " << word;
    }
  }
  for (const std::size_t bytes : {std::size_t{3911}, std::size_t{3912}, std::size_t{3913}}) {
    std::vector<std::byte> source = pattern(bytes, 5);
    nb::Completion done;
    rig.origin().start_put_signal(contiguous(Action::put, source.data(), rig.region + 64, bytes),
                                  rig.region + 8, bytes, rig.far, done);
    rig.finish(done);
    rig.fence();
    EXPECT_EQ(std::memcmp(rig.region + 64, source.data(), bytes), 0) << bytes;
    EXPECT_EQ(word_at(rig, 1), static_cast<std::int64_t>(bytes));
  }
  EXPECT_EQ(rig.refused, refused);
  rig.expect_quiet();
}

}  // namespace
}  // namespace comex::whole
