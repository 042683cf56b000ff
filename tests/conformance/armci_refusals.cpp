// What ARMCI refuses under returned errors, with an aggregate handle and with flags: the wrong call alone
// fails, in the call, and leaves no trace.
#include "armci/state.h"
#include "conformance/job_rig.h"

namespace comex::whole {
namespace {

// Worker 0 is the program; worker 1 is on another host, behind a progress rank.
class ArmciRefusals : public testing::Test {
 protected:
  static constexpr int far = 1;
  ArmciRefusals() {
    comex_set_errors(COMEX_ERRORS_RETURN);
    ARMCI_SET_AGGREGATE_HANDLE(&aggregate_);
  }
  ~ArmciRefusals() override {
    ARMCI_UNSET_AGGREGATE_HANDLE(&aggregate_);
    comex_set_errors(COMEX_ERRORS_ABORT);
  }

  // What stands in the far words once everything has arrived there.
  long arrived(int word) {
    EXPECT_EQ(ARMCI_Wait(&aggregate_), 0);
    ARMCI_Fence(far);
    return ARMCI_GetValueLong(there_ + word, far);
  }

  Job job_{{0, 0, 1, 1}, {{"GA_NUM_PROGRESS_RANKS_PER_NODE", "1"}}};
  long* there_ = job_.allocate<long>(far, 8);
  armci_hdl_t aggregate_;
  long near_[2] = {7, 8};
  void* nears_[2] = {&near_[0], &near_[1]};
  void* fars_[2] = {&there_[0], &there_[1]};
  long one_ = 1;
};

TEST_F(ArmciRefusals, an_aggregate_refuses_an_accumulate_without_a_scale_or_of_an_unknown_type) {
  int stride[] = {8}, count[] = {8, 2};
  armci_giov_t pairs{nears_, fars_, 2, 8};
  EXPECT_NE(ARMCI_NbAcc(ARMCI_ACC_LNG, nullptr, near_, there_, 8, far, &aggregate_), 0);
  EXPECT_NE(ARMCI_NbAccS(ARMCI_ACC_LNG, nullptr, near_, stride, there_, stride, count, 1, far, &aggregate_),
            0);
  EXPECT_NE(ARMCI_NbAccV(ARMCI_ACC_LNG, nullptr, &pairs, 1, far, &aggregate_), 0);
  EXPECT_NE(ARMCI_NbAcc(12345, &one_, near_, there_, 8, far, &aggregate_), 0);
  EXPECT_EQ(arrived(0), 0);
}

TEST_F(ArmciRefusals, an_aggregate_refuses_vectors_that_are_none) {
  armci_giov_t good{nears_, fars_, 2, 8}, no_arrays{nullptr, nullptr, 2, 8}, negative{nears_, fars_, -1, 8};
  for (const auto& [iov, len] :
       {std::pair{static_cast<armci_giov_t*>(nullptr), 1}, std::pair{static_cast<armci_giov_t*>(nullptr), 9},
        std::pair{&good, -1}, std::pair{&no_arrays, 1}, std::pair{&negative, 1}}) {
    EXPECT_NE(ARMCI_PutV(iov, len, far), 0);
    EXPECT_NE(ARMCI_NbPutV(iov, len, far, &aggregate_), 0);
    EXPECT_NE(ARMCI_NbGetV(iov, len, far, &aggregate_), 0);
    EXPECT_NE(ARMCI_NbAccV(ARMCI_ACC_LNG, &one_, iov, len, far, &aggregate_), 0);
  }
  EXPECT_EQ(ARMCI_NbPutV(nullptr, 0, far, &aggregate_), 0);
  EXPECT_EQ(arrived(0), 0);
}

TEST_F(ArmciRefusals, a_refused_piece_takes_nothing_along_that_the_aggregate_holds) {
  int stride[] = {8}, count[] = {8, 2};
  EXPECT_EQ(ARMCI_NbPut(&near_[0], &there_[0], 8, far, &aggregate_), 0);
  EXPECT_NE(ARMCI_NbPut(nullptr, &there_[1], 8, far, &aggregate_), 0);
  EXPECT_NE(ARMCI_NbPut(&near_[0], nullptr, 8, far, &aggregate_), 0);
  EXPECT_NE(ARMCI_NbPutS(nullptr, stride, there_, stride, count, 1, far, &aggregate_), 0);
  EXPECT_NE(ARMCI_NbPutS(near_, nullptr, there_, stride, count, 1, far, &aggregate_), 0);
  EXPECT_NE(ARMCI_NbPut(&near_[0], &there_[1], -1, far, &aggregate_), 0);
  EXPECT_EQ(ARMCI_NbPut(&near_[1], &there_[2], 8, far, &aggregate_), 0);
  EXPECT_EQ(arrived(0), 7);
  EXPECT_EQ(arrived(1), 0);
  EXPECT_EQ(arrived(2), 8);
}

// A line names what it refuses by the call that was made; how many there are is asked for by name.
TEST_F(ArmciRefusals, of_what_an_aggregate_is_given_the_wrong_piece_alone_is_refused_by_its_own_name) {
  auto* const wild = reinterpret_cast<long*>(0x10008);
  int stride[] = {8}, count[] = {8, 2};
  void* some_wild[2] = {&there_[3], wild};
  armci_giov_t pairs{nears_, some_wild, 2, 8};
  testing::internal::CaptureStderr();
  EXPECT_EQ(ARMCI_NbPut(&near_[0], &there_[0], 8, far, &aggregate_), 0);
  ARMCI_NbPut(&near_[0], wild, 8, far, &aggregate_);
  ARMCI_NbAcc(ARMCI_ACC_LNG, &one_, &near_[0], wild, 8, far, &aggregate_);
  ARMCI_NbPutValueLong(1, wild, far, &aggregate_);
  ARMCI_NbPutS(near_, stride, wild, stride, count, 1, far, &aggregate_);
  ARMCI_NbPutV(&pairs, 1, far, &aggregate_);
  EXPECT_NE(ARMCI_NbPut(&near_[0], wild, 8, 0, &aggregate_), 0);  // on its own host a call learns it itself
  EXPECT_EQ(ARMCI_NbAcc(ARMCI_ACC_LNG, &one_, &near_[1], &there_[1], 8, far, &aggregate_), 0);
  EXPECT_EQ(ARMCI_NbPutValueLong(9, &there_[2], far, &aggregate_), 0);
  ARMCI_Wait(&aggregate_);
  EXPECT_NE(comex_fence_proc(far, COMEX_GROUP_WORLD), COMEX_SUCCESS);
  const std::string lines = testing::internal::GetCapturedStderr();
  const auto named = [&lines](const std::string& name) {
    int times = 0;
    for (std::size_t at = 0; (at = lines.find(": " + name + " to target", at)) != std::string::npos; ++at)
      ++times;
    return times;
  };
  EXPECT_EQ(named("nbput"), 3) << lines;
  EXPECT_EQ(named("nbacc"), 1) << lines;
  EXPECT_EQ(named("nbputs"), 1) << lines;
  EXPECT_EQ(named("nbputv"), 1) << lines;
  EXPECT_EQ(std::ranges::count(lines, '\n'), 6) << lines;
  EXPECT_EQ(arrived(0), 7);
  EXPECT_EQ(arrived(1), 8);
  EXPECT_EQ(arrived(2), 9);
  EXPECT_EQ(arrived(3), 0);
}

TEST_F(ArmciRefusals, an_aggregate_gets_twice_into_one_place) {
  there_[0] = 5;
  there_[1] = 6;
  EXPECT_EQ(ARMCI_NbGet(&there_[0], &near_[0], 8, far, &aggregate_), 0);
  EXPECT_EQ(ARMCI_NbGet(&there_[1], &near_[0], 8, far, &aggregate_), 0);
  EXPECT_EQ(ARMCI_Wait(&aggregate_), 0);
  EXPECT_TRUE(near_[0] == 5 || near_[0] == 6);
}

TEST_F(ArmciRefusals, no_flag_is_raised_for_data_that_the_server_has_refused) {
  auto* const flag = reinterpret_cast<int*>(&there_[4]);
  auto* const wild = reinterpret_cast<char*>(0x10008);
  int stride[] = {16}, count[] = {8, 2};
  EXPECT_NE(ARMCI_Put_flag(near_, wild, 8, flag, 1, far), 0);
  EXPECT_NE(ARMCI_PutS_flag(near_, stride, wild, stride, count, 0, flag, 2, far), 0);
  EXPECT_EQ(arrived(4), 0);
  EXPECT_EQ(ARMCI_Put_flag(near_, there_, 8, flag, 3, far), 0);
  EXPECT_EQ(arrived(4), 3);
  EXPECT_EQ(arrived(0), 7);
}

TEST_F(ArmciRefusals, an_earlier_refusal_does_not_keep_a_flag_down) {
  auto* const flag = reinterpret_cast<int*>(&there_[4]);
  int stride[] = {8}, count[] = {8, 1};
  for (int value = 1; value < 3; ++value) {
    EXPECT_EQ(comex_nbput(near_, there_ + (2 << 20), 8, far, COMEX_GROUP_WORLD, nullptr), COMEX_SUCCESS);
    const int told = value == 1 ? ARMCI_Put_flag(near_, there_, 8, flag, value, far)
                                : ARMCI_PutS_flag(near_, stride, there_, stride, count, 1, flag, value, far);
    EXPECT_NE(told, 0) << "the earlier one is told";
    EXPECT_EQ(comex_fence_proc(far, COMEX_GROUP_WORLD), COMEX_SUCCESS) << "once";
    EXPECT_EQ(arrived(4), value);
    EXPECT_EQ(arrived(0), 7);
  }
}

TEST_F(ArmciRefusals, a_wait_tells_what_a_test_has_found) {
  for (const int bytes : {8, 100'000}) {
    std::vector<char> near(static_cast<std::size_t>(bytes));
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    EXPECT_EQ(ARMCI_NbGet(there_ + (2 << 20), near.data(), bytes, far, &handle), 0);
    while (ARMCI_Test(&handle) != 0) {
    }
    EXPECT_EQ(ARMCI_Test(&handle), 0) << "it is complete";
    EXPECT_NE(ARMCI_Wait(&handle), 0) << bytes;
    EXPECT_EQ(ARMCI_Wait(&handle), 0) << "told once";
    EXPECT_EQ(ARMCI_NbGet(there_, near.data(), 8, far, &handle), 0) << "the handle serves again";
    EXPECT_EQ(ARMCI_Wait(&handle), 0);
  }
}

TEST_F(ArmciRefusals, no_data_is_written_for_a_flag_that_is_refused) {
  long* const here = job_.allocate<long>(0, 8);
  int stride[] = {8}, count[] = {8, 2};
  for (long* const memory : {there_, here}) {
    const int proc = memory == here ? 0 : far;
    auto* const beyond = reinterpret_cast<int*>(memory + (2 << 20));
    auto* const odd = reinterpret_cast<int*>(reinterpret_cast<char*>(&memory[4]) + 1);
    for (int* const flag : {beyond, odd}) {
      EXPECT_NE(ARMCI_Put_flag(near_, memory, 8, flag, 1, proc), 0);
      EXPECT_NE(ARMCI_PutS_flag(near_, stride, memory, stride, count, 1, flag, 1, proc), 0);
      EXPECT_EQ(comex_fence_proc(proc, COMEX_GROUP_WORLD), COMEX_SUCCESS) << "told by the call";
    }
    EXPECT_EQ(ARMCI_GetValueLong(memory, proc), 0);
    EXPECT_EQ(ARMCI_GetValueLong(memory + 4, proc), 0);
  }
}

}  // namespace
}  // namespace comex::whole
