// Mutexes that are not there: one line that says how many there are, the same whether the caller finds out or
// the server of another host.
#include <functional>

#include "conformance/job_rig.h"

namespace comex::whole {
namespace {

// Worker 0 is the program; worker 1 is on another host, behind a progress rank.
class MissingMutexes : public testing::TestWithParam<int> {
 protected:
  MissingMutexes() { comex_set_errors(COMEX_ERRORS_RETURN); }
  ~MissingMutexes() override { comex_set_errors(COMEX_ERRORS_ABORT); }

  struct MutexCall {
    const char* name;
    std::function<int(int mutex)> call;
  };
  std::vector<MutexCall> mutex_calls() {
    return {{"lock", [](int mutex) { return comex_lock(mutex, GetParam()); }},
            {"trylock", [this](int mutex) { return comex_trylock(mutex, GetParam(), &acquired_); }},
            {"unlock", [](int mutex) { return comex_unlock(mutex, GetParam()); }}};
  }
  // Each way to ask for it says so in one line.
  void expect_missing(int mutex, int count) {
    for (const MutexCall& each : mutex_calls()) {
      testing::internal::CaptureStderr();
      EXPECT_EQ(each.call(mutex), COMEX_FAILURE);
      const std::string said = testing::internal::GetCapturedStderr();
      const std::string target = std::to_string(GetParam());
      const std::string wanted = ": " + std::string(each.name) + " to target " + target + ": mutex " +
                                 std::to_string(mutex) + " is out of range: worker " + target + " has " +
                                 std::to_string(count) + "\n";
      EXPECT_NE(said.find(wanted), std::string::npos) << "no '" << wanted << "' in\n" << said;
      EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
    }
    EXPECT_EQ(acquired_, -1) << "a place for the result is written on success only";
  }
  void expect_there(int mutex) {
    EXPECT_EQ(comex_lock(mutex, GetParam()), COMEX_SUCCESS);
    EXPECT_EQ(comex_unlock(mutex, GetParam()), COMEX_SUCCESS);
  }

  Job job_{{0, 0, 1, 1}, {}};
  int acquired_ = -1;
};

TEST_P(MissingMutexes, before_any_were_made_are_told_with_none_there) {
  const auto asked = [this] { return job_.fabric().messages(job_.rank_of(0), job_.server_of(1)); };
  const std::uint64_t before = asked();
  expect_missing(0, 0);
  EXPECT_EQ(asked(), before) << "nobody has to be asked";
}

TEST_P(MissingMutexes, beyond_the_last_are_told_with_those_there_are) {
  job_.create_mutexes(2);
  for (const int mutex : {2, 1 << 30, -1}) expect_missing(mutex, 2);
  expect_there(1);
}

TEST_P(MissingMutexes, of_a_worker_that_has_none_are_told_with_none_there) {
  job_.create_mutexes(2);
  shm::Arena& arena = job_.arena_of(GetParam());
  arena.mutexes_of(arena.slot()).hide();
  expect_missing(0, 0);
}

std::string owners_host(const testing::TestParamInfo<int>& info) {
  return info.param == 0 ? "the_caller" : "another";
}
INSTANTIATE_TEST_SUITE_P(OnTheHostOf, MissingMutexes, testing::Values(0, 1), owners_host);

// The only worker of its world.
class OwnMutexes : public testing::Test {
 protected:
  OwnMutexes() { comex_set_errors(COMEX_ERRORS_RETURN); }
  ~OwnMutexes() override { comex_set_errors(COMEX_ERRORS_ABORT); }
  static std::string said_by_failing(int code) {
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(code, COMEX_FAILURE);
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
    return said;
  }
  static std::string said_by_failing_to_create(int num) {
    testing::internal::CaptureStderr();
    return said_by_failing(comex_create_mutexes(num));
  }
  Job job_{{0, 0}, {}};
};

TEST_F(OwnMutexes, come_and_go) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(comex_create_mutexes(2), COMEX_SUCCESS);
    for (int mutex = 0; mutex < 2; ++mutex) ASSERT_EQ(comex_lock(mutex, 0), COMEX_SUCCESS);
    EXPECT_EQ(comex_unlock(1, 0), COMEX_SUCCESS);
    ASSERT_EQ(comex_destroy_mutexes(), COMEX_SUCCESS);
  }
  testing::internal::CaptureStderr();
  EXPECT_NE(said_by_failing(comex_destroy_mutexes()).find("there are no mutexes"), std::string::npos);
}

TEST_F(OwnMutexes, that_cannot_be_made_leave_nothing_behind) {
  EXPECT_NE(said_by_failing_to_create(-3).find("the number of mutexes is -3"), std::string::npos);
  EXPECT_NE(said_by_failing_to_create(1 << 30).find("create_mutexes"), std::string::npos) << "no such memory";
  shm::Arena& arena = job_.arena_of(0);
  EXPECT_EQ(arena.mutexes_of(arena.slot()).mutexes(), 0u);
  ASSERT_EQ(comex_create_mutexes(1), COMEX_SUCCESS);
}

TEST_F(OwnMutexes, are_not_made_twice) {
  ASSERT_EQ(comex_create_mutexes(1), COMEX_SUCCESS);
  ASSERT_EQ(comex_lock(0, 0), COMEX_SUCCESS);
  EXPECT_NE(said_by_failing_to_create(4).find("there are mutexes already"), std::string::npos);
  EXPECT_EQ(comex_unlock(0, 0), COMEX_SUCCESS) << "those that are there stay";
}

TEST_F(OwnMutexes, may_be_none_at_all) {
  ASSERT_EQ(comex_create_mutexes(0), COMEX_SUCCESS);
  EXPECT_EQ(comex_destroy_mutexes(), COMEX_SUCCESS);
}

}  // namespace
}  // namespace comex::whole
