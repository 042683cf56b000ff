// Which way calls go: straight into memory of the own host, whoever serves it, unless a switch sends them
// through its server; and that what goes one way keeps its place behind what went the other.
#include <functional>
#include <utility>

#include "conformance/job_rig.h"

namespace comex::whole {
namespace {

constexpr int words = 64;

// The program as worker 0, with memory at every worker to call on.
class Routes : public testing::Test {
 protected:
  // What the worker leaves open nobody sends for it, so that all messages are its own.
  void start(std::vector<int> host_of_rank, test::Environment environment) {
    environment["COMEX_COALESCE_US"] = "1000000";
    job_ = std::make_unique<Job>(std::move(host_of_rank), environment);
    job_->create_mutexes(1);
    for (int worker = 0; worker < job_->workers(); ++worker)
      there_.push_back(job_->allocate<long>(worker, words));
  }
  std::uint64_t sent() {
    std::uint64_t messages = 0;
    for (TransportRank to = 0; to < job_->fabric().size(); ++to)
      messages += job_->fabric().messages(job_->rank_of(0), to);
    return messages;
  }
  // Messages until the call is complete here and there.
  std::uint64_t messages_of(int target, const std::function<int()>& call) {
    EXPECT_EQ(comex_fence_proc(target, COMEX_GROUP_WORLD), COMEX_SUCCESS);
    const std::uint64_t before = sent();
    EXPECT_EQ(call(), COMEX_SUCCESS);
    EXPECT_EQ(comex_wait_proc(target, COMEX_GROUP_WORLD), COMEX_SUCCESS);
    EXPECT_EQ(comex_fence_proc(target, COMEX_GROUP_WORLD), COMEX_SUCCESS);
    return sent() - before;
  }

  struct Call {
    const char* name;
    std::function<int()> make;
  };
  std::vector<Call> puts(int to) {
    return {{"put", [=, this] { return comex_put(near_, at(to), 8, to, all); }},
            {"nbput", [=, this] { return comex_nbput(near_, at(to), 8, to, all, nullptr); }},
            {"puts", [=, this] { return comex_puts(near_, stride_, at(to), stride_, count_, 1, to, all); }},
            {"putv", [=, this] { return comex_putv(vector(near_, at(to)), 1, to, all); }},
            {"put_signal", [=, this] { return comex_put_signal(near_, at(to), 8, at(to) + 9, 1, to, all); }}};
  }
  std::vector<Call> gets(int to) {
    return {{"get", [=, this] { return comex_get(at(to), near_, 8, to, all); }},
            {"nbget", [=, this] { return comex_nbget(at(to), near_, 8, to, all, nullptr); }},
            {"gets", [=, this] { return comex_gets(at(to), stride_, near_, stride_, count_, 1, to, all); }},
            {"getv", [=, this] { return comex_getv(vector(at(to), near_), 1, to, all); }}};
  }
  std::vector<Call> accs(int to) {
    const int code = COMEX_ACC_LNG;
    return {
        {"acc", [=, this] { return comex_acc(code, &one_, near_, at(to), 8, to, all); }},
        {"nbacc", [=, this] { return comex_nbacc(code, &one_, near_, at(to), 8, to, all, nullptr); }},
        {"accs",
         [=, this] { return comex_accs(code, &one_, near_, stride_, at(to), stride_, count_, 1, to, all); }},
        {"accv", [=, this] { return comex_accv(code, &one_, vector(near_, at(to)), 1, to, all); }}};
  }
  // Those that need puts and gets to be direct.
  std::vector<Call> atomics(int to) {
    const int code = COMEX_FETCH_AND_ADD_LONG;
    return {{"rmw", [=, this] { return comex_rmw(code, near_, at(to), 1, to, all); }},
            {"lock", [=] { return comex_lock(0, to); }},
            {"unlock", [=] { return comex_unlock(0, to); }}};
  }
  void expect(bool is_direct, int target, const std::vector<Call>& calls) {
    for (const Call& call : calls)
      EXPECT_EQ(messages_of(target, call.make) == 0, is_direct) << call.name << " to " << target;
  }

  long* at(int worker) const { return there_[static_cast<std::size_t>(worker)]; }

  static constexpr comex_group_t all = COMEX_GROUP_WORLD;
  std::unique_ptr<Job> job_;
  std::vector<long*> there_;
  long near_[words] = {};
  long one_ = 1;

 private:
  comex_giov_t* vector(long* from, long* to) {
    for (int i = 0; i < 3; ++i) {
      from_[i] = from + 3 * i;
      to_[i] = to + 3 * i;
    }
    return &vector_;
  }
  int stride_[1] = {24};
  int count_[2] = {8, 3};
  void* from_[3] = {};
  void* to_[3] = {};
  comex_giov_t vector_{from_, to_, 3, 8};
};

TEST_F(Routes, on_the_own_host_need_no_message_whatever_progress_rank_serves_the_target) {
  start({0, 0, 0, 0, 1, 1}, {{"GA_NUM_PROGRESS_RANKS_PER_NODE", "2"}});
  ASSERT_EQ(job_->workers(), 3);
  ASSERT_NE(job_->server_of(0), job_->server_of(1));
  for (const int target : {0, 1, 2}) {
    const bool is_here = target != 2;
    expect(is_here, target, puts(target));
    expect(is_here, target, gets(target));
    expect(is_here, target, accs(target));
    expect(is_here, target, atomics(target));
  }
}

class Switches : public Routes, public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(Switches, send_everything_of_their_kind_through_the_targets_server) {
  const auto& [name, progress_ranks] = GetParam();
  start({0, 0, 0}, {{name, "0"}, {"GA_NUM_PROGRESS_RANKS_PER_NODE", progress_ranks}});
  const std::string off = name;
  for (const int target : {0, 1}) {
    const auto is_on = [&](const char* verb) {
      return off != std::string("COMEX_ENABLE_") + verb + (target == 0 ? "_SELF" : "_SMP");
    };
    expect(is_on("PUT"), target, puts(target));
    expect(is_on("GET"), target, gets(target));
    expect(is_on("ACC"), target, accs(target));
    expect(is_on("PUT") && is_on("GET"), target, atomics(target));
  }
}

std::string switch_name(const testing::TestParamInfo<Switches::ParamType>& info) {
  return std::string(info.param.first) + (info.param.second[0] == '0' ? "_threads" : "_progress_rank");
}
INSTANTIATE_TEST_SUITE_P(
    With, Switches,
    testing::Values(std::pair{"COMEX_ENABLE_PUT_SELF", "1"}, std::pair{"COMEX_ENABLE_PUT_SMP", "1"},
                    std::pair{"COMEX_ENABLE_GET_SELF", "1"}, std::pair{"COMEX_ENABLE_GET_SMP", "1"},
                    std::pair{"COMEX_ENABLE_ACC_SELF", "1"}, std::pair{"COMEX_ENABLE_ACC_SMP", "1"},
                    std::pair{"COMEX_ENABLE_PUT_SMP", "0"}, std::pair{"COMEX_ENABLE_GET_SELF", "0"},
                    std::pair{"COMEX_ENABLE_ACC_SMP", "0"}),
    switch_name);

// Accumulates leave in messages and are not waited for; everything else is done here and now.
TEST_F(Routes, that_are_direct_fence_what_is_under_way_to_the_same_target_first) {
  start({0, 0, 0}, {{"COMEX_ENABLE_ACC_SMP", "0"}});
  long* const word = at(1);
  const auto add_seven = [&] {
    near_[0] = 7;
    ASSERT_EQ(comex_nbacc(COMEX_ACC_LNG, &one_, near_, word, 8, 1, all, nullptr), COMEX_SUCCESS);
  };
  long old = -1;
  add_seven();
  ASSERT_EQ(comex_get(word, &old, 8, 1, all), COMEX_SUCCESS);
  EXPECT_EQ(old, 7);
  add_seven();
  ASSERT_EQ(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, word, 1, 1, all), COMEX_SUCCESS);
  EXPECT_EQ(old, 14);
  add_seven();
  long hundred = 100;
  ASSERT_EQ(comex_put(&hundred, word, 8, 1, all), COMEX_SUCCESS);
  EXPECT_EQ(*word, 100);
  add_seven();
  ASSERT_EQ(comex_put_signal(&old, word + 1, 8, word + 2, 1, 1, all), COMEX_SUCCESS);
  EXPECT_EQ(*word, 107) << "behind a signal";
  add_seven();
  ASSERT_EQ(comex_lock(0, 1), COMEX_SUCCESS);
  EXPECT_EQ(*word, 114) << "behind a lock";
  add_seven();
  ASSERT_EQ(comex_unlock(0, 1), COMEX_SUCCESS);
  EXPECT_EQ(*word, 121) << "behind an unlock";
}

}  // namespace
}  // namespace comex::whole
