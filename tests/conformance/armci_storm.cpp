// Random calls of the ARMCI façade, most of them wrong: each returns, and right ones are right afterwards.
#include <cstdio>

#include "armci/state.h"
#include "conformance/storm_bed.h"
#include "support/seed.h"

namespace comex::whole::armci_storm {
namespace {

constexpr int calls_of_a_storm = 20'000;

// Handles of all ages, aggregate ones among them.
struct Handles {
  Handles() {
    for (armci_hdl_t& each : all) armci::set_code(&each, 0);
    ARMCI_SET_AGGREGATE_HANDLE(&all[0]);
    ARMCI_SET_AGGREGATE_HANDLE(&all[1]);
  }
  armci_hdl_t* any(Confused& c) { return c.below(8) == 0 ? nullptr : &all[c.below(8)]; }
  armci_hdl_t all[8];
};

using Call = int (*)(Confused&, Handles&);
#define CALL(...)                         \
  [](Confused& c, Handles& h) {           \
    static_cast<void>(c);                 \
    static_cast<void>(h);                 \
    return static_cast<int>(__VA_ARGS__); \
  }

const std::vector<Call> calls = {
    CALL(ARMCI_Put(c.near(), c.far(), c.bytes(), c.proc())),
    CALL(ARMCI_Get(c.far(), c.near(), c.get_bytes(), c.proc())),
    CALL(ARMCI_Acc(c.acc_type(), c.scale(), c.near(), c.far(), c.bytes(), c.proc())),
    CALL(ARMCI_NbPut(c.near(), c.far(), c.bytes(), c.proc(), h.any(c))),
    CALL(ARMCI_NbGet(c.far(), c.near(), c.get_bytes(), c.proc(), h.any(c))),
    CALL(ARMCI_NbAcc(c.acc_type(), c.scale(), c.near(), c.far(), c.bytes(), c.proc(), h.any(c))),
    CALL(ARMCI_PutS(c.near(), c.near_strides<int>(), c.far(), c.far_strides<int>(), c.counts<int>(),
                    c.levels(), c.proc())),
    CALL(ARMCI_GetS(c.far(), c.far_strides<int>(), c.near(), c.near_strides<int>(), c.counts<int>(),
                    c.levels(), c.proc())),
    CALL(ARMCI_NbPutS(c.near(), c.near_strides<int>(), c.far(), c.far_strides<int>(), c.counts<int>(),
                      c.levels(), c.proc(), h.any(c))),
    CALL(ARMCI_NbAccS(c.acc_type(), c.scale(), c.near(), c.near_strides<int>(), c.far(), c.far_strides<int>(),
                      c.counts<int>(), c.levels(), c.proc(), h.any(c))),
    CALL(ARMCI_AccS(c.acc_type(), c.scale(), c.near(), c.near_strides<int>(), c.far(), c.far_strides<int>(),
                    c.counts<int>(), c.levels(), c.proc())),
    CALL(ARMCI_NbGetS(c.far(), c.far_strides<int>(), c.near(), c.near_strides<int>(), c.counts<int>(),
                      c.levels(), c.proc(), h.any(c))),
    CALL(ARMCI_PutS_flag(c.near(), c.near_strides<int>(), c.far(), c.far_strides<int>(), c.counts<int>(),
                         c.levels(), static_cast<int*>(c.far()), 1, c.proc())),
    CALL(ARMCI_Put_flag(c.near(), c.far(), c.bytes(), static_cast<int*>(c.far()), 1, c.proc())),
    CALL(ARMCI_PutV(c.giovs<armci_giov_t>(false), c.length(), c.proc())),
    CALL(ARMCI_GetV(c.giovs<armci_giov_t>(true), c.length(), c.proc())),
    CALL(ARMCI_NbPutV(c.giovs<armci_giov_t>(false), c.length(), c.proc(), h.any(c))),
    CALL(ARMCI_NbAccV(c.acc_type(), c.scale(), c.giovs<armci_giov_t>(false), c.length(), c.proc(), h.any(c))),
    CALL(ARMCI_AccV(c.acc_type(), c.scale(), c.giovs<armci_giov_t>(false), c.length(), c.proc())),
    CALL(ARMCI_NbGetV(c.giovs<armci_giov_t>(true), c.length(), c.proc(), h.any(c))),
    CALL(ARMCI_PutValueInt(3, c.far(), c.proc())),
    CALL(ARMCI_PutValueFloat(3, c.far(), c.proc())),
    CALL(ARMCI_PutValueDouble(3, c.far(), c.proc())),
    CALL(ARMCI_NbPutValueLong(3, c.far(), c.proc(), h.any(c))),
    CALL(ARMCI_NbPutValueFloat(3, c.far(), c.proc(), h.any(c))),
    CALL(ARMCI_NbPutValueDouble(3, c.far(), c.proc(), h.any(c))),
    CALL((ARMCI_SET_AGGREGATE_HANDLE(&h.all[c.below(8)]), 0)),
    CALL((ARMCI_UNSET_AGGREGATE_HANDLE(&h.all[c.below(8)]), 0)),
    CALL(ARMCI_PutValueLong(3, c.far(), c.proc())),
    CALL(ARMCI_NbPutValueInt(3, c.far(), c.proc(), h.any(c))),
    CALL(ARMCI_Rmw(c.one_of({0, 1, 36, 37, 38, 39, -1}), c.near(), c.far(), 1, c.proc())),
    CALL(ARMCI_Wait(h.any(c))),
    CALL(ARMCI_Test(h.any(c))),
    CALL(ARMCI_WaitProc(c.proc())),
    CALL(ARMCI_WaitAll()),
    CALL((ARMCI_Fence(c.proc()), 0)),
};
#undef CALL

class ArmciStorm : public ::testing::Test {
 protected:
  ArmciStorm() {
    comex_set_errors(COMEX_ERRORS_RETURN);
    job_.expect_failure_at_the_end();
  }
  ~ArmciStorm() override { comex_set_errors(COMEX_ERRORS_ABORT); }

  Job job_{{0, 0, 0, 1, 1}, {{"GA_NUM_PROGRESS_RANKS_PER_NODE", "1"}}};
  StormMemory memory_{job_};
};

TEST_F(ArmciStorm, leaves_all_as_it_was) {
  const unsigned long seed = comex::testing::chosen_seed(0, nullptr);
  std::printf("the seed of the storm is %lu\n", seed);
  std::fflush(stdout);
  Confused confused(seed, &memory_);
  int good = 0;
  {
    const Quiet quiet;
    Handles handles;
    for (int i = 0; i < calls_of_a_storm; ++i) {
      confused.aim();
      if (calls[confused.below(static_cast<unsigned>(calls.size()))](confused, handles) == 0) ++good;
    }
    for (armci_hdl_t& each : handles.all) ARMCI_Wait(&each);
    ARMCI_WaitAll();
    ARMCI_AllFence();
    ARMCI_WaitAll();
    ARMCI_AllFence();
  }
  EXPECT_GT(good, calls_of_a_storm / 10);
  EXPECT_LT(good, calls_of_a_storm * 9 / 10);
  for (int worker = 0; worker < job_.workers(); ++worker) {
    long* const there = memory_.kept[static_cast<std::size_t>(worker)];
    long value = 7 + worker;
    long found = 0;
    EXPECT_EQ(ARMCI_Put(&value, there, sizeof value, worker), 0);
    ARMCI_Fence(worker);
    EXPECT_EQ(ARMCI_Get(there, &found, sizeof found, worker), 0);
    EXPECT_EQ(found, value);
  }
  memory_.check();
}

}  // namespace
}  // namespace comex::whole::armci_storm
