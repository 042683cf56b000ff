// How lines about operations name their target: by the rank of the group that the program passed, and by who
// that is where the rank does not say it. Made on the own host, and by the server of another.
#include <functional>

#include "conformance/job_rig.h"
#include "shm/locks/block_locks.h"

namespace comex::whole {
namespace {

constexpr int large = 40'000;  // bytes: several chunks

// Worker 0 is the program; worker 1 is on another host, behind a progress rank. In the group they are the
// other way round. The parameter is the rank in it: 0 is served, 1 is the program itself.
class NamedTargets : public testing::TestWithParam<int> {
 protected:
  NamedTargets() {
    runtime::Runtime& runtime = job_.runtime(0);
    constexpr std::uint64_t context = 1000;
    const std::vector<Lpid> reversed = {1, 0};
    auto members = std::make_unique<groups::Group>(context, runtime.registry().make_table(reversed), 1);
    runtime::GroupExtras extras = runtime.extras_of(*members);
    group_ = runtime.add_group(std::move(members), extras);
    comex_set_errors(COMEX_ERRORS_RETURN);
  }
  ~NamedTargets() override {
    comex_set_errors(COMEX_ERRORS_ABORT);
    job_.runtime(0).remove_group(group_);
  }

  static int rank() { return GetParam(); }
  static int worker() { return 1 - GetParam(); }
  std::string by_group() const {
    return " to target " + std::to_string(rank()) + " of group " + std::to_string(group_) + " (worker " +
           std::to_string(worker()) + ")";
  }
  static std::string by_world() { return " to target " + std::to_string(worker()); }

  // What is printed until the failure has been told, by the call or by a fence.
  std::string said_by(const std::function<int()>& call) {
    testing::internal::CaptureStderr();
    const bool by_call = call() != COMEX_SUCCESS;
    const bool by_fence = comex_fence_proc(rank(), group_) != COMEX_SUCCESS;
    EXPECT_NE(by_call, by_fence) << "told once";
    return testing::internal::GetCapturedStderr();
  }
  // One line, about this call: who it names, and the address where the call has one.
  void expect_line(const std::string& call, const std::string& target, const void* address,
                   const std::string& said) {
    char digits[40] = "";
    if (address != nullptr) std::snprintf(digits, sizeof digits, ", address %p", address);
    const std::string wanted = ": " + call + target + digits + ": ";
    EXPECT_NE(said.find(wanted), std::string::npos) << "no '" << wanted << "' in\n" << said;
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
  }

  struct Wrong {
    const char* name;
    std::function<int(int proc, comex_group_t group)> call;
    const void* address;
  };
  std::vector<Wrong> one_sided();
  static int waited(const std::function<int(comex_request_t*)>& call) {
    comex_request_t handle = 0;
    return call(&handle) == COMEX_SUCCESS ? comex_wait(&handle) : COMEX_FAILURE;
  }

  Job job_{{0, 0, 1, 1}, {{"COMEX_CHUNK_BYTES", "16k"}}};
  comex_group_t group_ = 0;
  char* there_ = job_.allocate<char>(worker(), large);
  char* beyond_ = there_ + (16 << 20);
  std::vector<char> near_ = std::vector<char>(large);
  long word_ = 0;
  long one_ = 1;
  int stride_[1] = {100};
  int count_[2] = {8, 3};
  int negative_[2] = {-8, 3};
  void* nears_[1] = {near_.data()};
  void* beyonds_[1] = {beyond_};
  comex_giov_t puts_{nears_, beyonds_, 1, 8};
  comex_giov_t gets_{beyonds_, nears_, 1, 8};
};

// What each says of `beyond`, or of the arguments alone.
std::vector<NamedTargets::Wrong> NamedTargets::one_sided() {
  char* const n = near_.data();
  char* const b = beyond_;
  long* const word = reinterpret_cast<long*>(b);
  return {
      {"put", [=](int p, int g) { return comex_put(n, b, 8, p, g); }, b},
      {"put", [=](int p, int g) { return comex_put(n, b, large, p, g); }, b},
      {"put", [=](int p, int g) { return comex_put(n, b, -1, p, g); }, b},
      {"nbput", [=](int p, int g) { return comex_nbput(n, b, 8, p, g, nullptr); }, b},
      {"nbput",
       [=](int p, int g) { return waited([&](auto* h) { return comex_nbput(n, b, large, p, g, h); }); }, b},
      {"puts", [=, this](int p, int g) { return comex_puts(n, stride_, b, stride_, count_, 1, p, g); }, b},
      {"puts", [=, this](int p, int g) { return comex_puts(n, stride_, b, stride_, negative_, 1, p, g); }, b},
      {"putv", [=, this](int p, int g) { return comex_putv(&puts_, 1, p, g); }, b},
      {"putv", [=](int p, int g) { return comex_putv(nullptr, 1, p, g); }, nullptr},
      {"putv", [=, this](int p, int g) { return comex_putv(&puts_, -1, p, g); }, nullptr},
      {"get", [=](int p, int g) { return comex_get(b, n, 8, p, g); }, b},
      {"nbget",
       [=](int p, int g) { return waited([&](auto* h) { return comex_nbget(b, n, large, p, g, h); }); }, b},
      {"gets", [=, this](int p, int g) { return comex_gets(b, stride_, n, stride_, count_, 1, p, g); }, b},
      {"getv", [=, this](int p, int g) { return comex_getv(&gets_, 1, p, g); }, b},
      {"acc", [=, this](int p, int g) { return comex_acc(COMEX_ACC_LNG, &one_, n, b, 8, p, g); }, b},
      {"nbacc", [=, this](int p, int g) { return comex_nbacc(COMEX_ACC_LNG, &one_, n, b, 8, p, g, nullptr); },
       b},
      {"accs",
       [=, this](int p, int g) {
         return comex_accs(COMEX_ACC_LNG, &one_, n, stride_, b, stride_, count_, 1, p, g);
       },
       b},
      {"accv", [=, this](int p, int g) { return comex_accv(COMEX_ACC_LNG, &one_, &puts_, 1, p, g); }, b},
      {"rmw", [=, this](int p, int g) { return comex_rmw(COMEX_FETCH_AND_ADD_LONG, &word_, b, 1, p, g); }, b},
      {"rmw", [=, this](int p, int g) { return comex_rmw(COMEX_FETCH_AND_ADD_LONG, &word_, b + 1, 1, p, g); },
       b + 1},
      {"rmw", [=, this](int p, int g) { return comex_rmw(4711, &word_, b, 1, p, g); }, b},
      {"nbrmw",
       [=, this](int p, int g) {
         return waited([&](auto* h) { return comex_nbrmw(COMEX_SWAP, &word_, b, 0, p, g, h); });
       },
       b},
      {"put_signal", [=](int p, int g) { return comex_put_signal(n, b, 8, word, 1, p, g); }, b},
      {"put_signal", [=, this](int p, int g) { return comex_put_signal(n, there_, 8, word, 1, p, g); }, b},
      {"put_signal",
       [=, this](int p, int g) {
         return comex_put_signal(n, there_, 8, reinterpret_cast<long*>(there_ + 1), 1, p, g);
       },
       there_ + 1},
  };
}

TEST_P(NamedTargets, are_ranks_of_the_group_and_who_that_is) {
  for (const Wrong& wrong : one_sided()) {
    expect_line(wrong.name, by_group(), wrong.address, said_by([&] { return wrong.call(rank(), group_); }));
  }
}

TEST_P(NamedTargets, are_worker_numbers_alone_in_the_world) {
  for (const Wrong& wrong : one_sided()) {
    expect_line(wrong.name, by_world(), wrong.address,
                said_by([&] { return wrong.call(worker(), COMEX_GROUP_WORLD); }));
  }
}

// Small ones to one place share a batch, whatever group they came through.
TEST_P(NamedTargets, of_many_collected_operations_are_each_that_of_its_call) {
  testing::internal::CaptureStderr();
  int failed = 0;
  comex_request_t handle = 0;
  failed += comex_nbput(near_.data(), beyond_, 8, worker(), COMEX_GROUP_WORLD, nullptr);
  failed += comex_nbput(near_.data(), beyond_ + 8, 8, rank(), group_, nullptr);
  failed += comex_nbput(near_.data(), beyond_ + 16, 8, worker(), COMEX_GROUP_WORLD, nullptr);
  failed += comex_nbacc(COMEX_ACC_LNG, &one_, near_.data(), beyond_ + 24, 8, rank(), group_, nullptr);
  failed +=
      comex_nbacc(COMEX_ACC_LNG, &one_, near_.data(), beyond_ + 32, 8, worker(), COMEX_GROUP_WORLD, nullptr);
  if (comex_nbrmw(COMEX_SWAP_LONG, &word_, beyond_ + 40, 0, rank(), group_, &handle) == COMEX_SUCCESS) {
    failed += comex_wait(&handle);
  }
  if (comex_nbget(beyond_ + 48, near_.data(), 8, worker(), COMEX_GROUP_WORLD, &handle) == COMEX_SUCCESS) {
    failed += comex_wait(&handle);
  }
  if (comex_nbget(beyond_ + 56, near_.data(), 8, rank(), group_, &handle) == COMEX_SUCCESS) {
    failed += comex_wait(&handle);
  }
  comex_fence_proc(worker(), COMEX_GROUP_WORLD);
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string calls[] = {"nbput", "nbput", "nbput", "nbacc", "nbacc", "nbrmw", "nbget", "nbget"};
  for (int i = 0; i < 8; ++i) {
    const bool is_named = i % 2 == 1;
    char address[40];
    std::snprintf(address, sizeof address, ", address %p: ", static_cast<void*>(beyond_ + 8 * i));
    const std::string wanted = ": " + calls[i] + (is_named ? by_group() : by_world()) + address;
    EXPECT_NE(said.find(wanted), std::string::npos) << "no '" << wanted << "' in\n" << said;
  }
  EXPECT_EQ(std::ranges::count(said, '\n'), 8) << said;
  EXPECT_EQ(failed, worker() == 0 ? 5 : 3) << "calls and waits that were told themselves";
}

// What follows a name in a batch is found behind it.
TEST_P(NamedTargets, that_are_named_get_what_they_are_sent) {
  long sent[] = {5, 6};
  long old = -1;
  long swapped[] = {7, 70};
  comex_request_t handle = 0;
  auto* const words = reinterpret_cast<long*>(there_);
  for (const bool is_named : {true, false}) {
    const int to = is_named ? rank() : worker();
    const comex_group_t through = is_named ? group_ : COMEX_GROUP_WORLD;
    comex_nbput(&sent[0], words, 8, to, through, nullptr);
    comex_nbacc(COMEX_ACC_LNG, &one_, &sent[1], words, 8, to, through, nullptr);
    comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &old, words, 1, to, through, &handle);
    EXPECT_EQ(comex_wait(&handle), COMEX_SUCCESS);
    EXPECT_EQ(old, 11);
    words[1] = 7;
    swapped[0] = 7;
    comex_nbrmw(COMEX_COMPARE_AND_SWAP_LONG, swapped, words + 1, 0, to, through, &handle);
    EXPECT_EQ(comex_wait(&handle), COMEX_SUCCESS);
    long back[] = {0, 0};
    comex_nbget(words, back, sizeof back, to, through, &handle);
    EXPECT_EQ(comex_wait(&handle), COMEX_SUCCESS);
    EXPECT_EQ(back[0], 12);
    EXPECT_EQ(back[1], 70);
    EXPECT_EQ(comex_fence_proc(to, through), COMEX_SUCCESS);
    EXPECT_EQ(words[0], 12);
    EXPECT_EQ(words[1], 70);
  }
}

TEST_P(NamedTargets, with_a_lock_of_a_dead_process_are_named_alike) {
  shm::Arena& arena = job_.arena_of(worker());
  const auto die_with_the_stripe = [&] {
    shm::Arena dead = shm::Arena::attach_guest(arena.os(), arena.ticket()).value();
    shm::BlockLocks locks(dead.stripes());
    locks.lock(arena.offset_of(there_) / shm::stripe_block_bytes);
    ASSERT_FALSE(locks.is_recovered());
  };
  for (const bool is_named : {true, false}) {
    die_with_the_stripe();
    const int to = is_named ? rank() : worker();
    const comex_group_t through = is_named ? group_ : COMEX_GROUP_WORLD;
    testing::internal::CaptureStderr();
    EXPECT_EQ(comex_acc(COMEX_ACC_LNG, &one_, near_.data(), there_, 8, to, through), COMEX_SUCCESS);
    EXPECT_EQ(comex_fence_proc(to, through), COMEX_SUCCESS);
    expect_line("acc", is_named ? by_group() : by_world(), nullptr, testing::internal::GetCapturedStderr());
  }
}

TEST_P(NamedTargets, that_are_none_are_told_with_those_there_are) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(comex_put(near_.data(), there_, 8, 2, group_), COMEX_FAILURE);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "comex: a rank on an unknown host: put: rank 2 is out of range: group " + std::to_string(group_) +
                " has ranks 0 to 1\n");
}

std::string way(const testing::TestParamInfo<int>& info) {
  return info.param == 0 ? "through_a_server" : "directly";
}
INSTANTIATE_TEST_SUITE_P(Reached, NamedTargets, testing::Values(0, 1), way);

}  // namespace
}  // namespace comex::whole
