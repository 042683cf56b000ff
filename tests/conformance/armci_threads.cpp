// The ARMCI functions, called by four threads of a worker at once, on the whole runtime in one process.
#include <atomic>
#include <cstdint>

#include "armci/state.h"
#include "conformance/job_rig.h"

namespace comex::whole {
namespace {

struct Layout {
  std::string name;
  std::vector<int> host_of_rank;
  std::string progress_ranks;
};

void PrintTo(const Layout& layout, std::ostream* out) {
  *out << layout.name;
}

class ArmciThreads : public testing::TestWithParam<Layout> {
 protected:
  // The first worker's requests, whether it sends them or its progress rank pushes them.
  void hold_requests_to(int proc) {
    for (const TransportRank from : {job_.rank_of(0), job_.server_of(0)})
      job_.fabric().hold_messages(from, job_.server_of(proc));
  }
  void release_requests_to(int proc) {
    for (const TransportRank from : {job_.rank_of(0), job_.server_of(0)})
      job_.fabric().release_messages(from, job_.server_of(proc));
  }

  Job job_{GetParam().host_of_rank, {{"GA_NUM_PROGRESS_RANKS_PER_NODE", GetParam().progress_ranks}}};
};

constexpr int threads = 4;
constexpr long rounds = 10;

// What all threads add to, on one worker.
struct Shared {
  long accumulated;
  long counted;  // by read-modify-write
  long collected;
  double accumulated_rows[4][8];
};

// A thread's own part of a worker's memory; the rows are three of a stride of 64.
struct Own {
  static constexpr std::size_t large = 20'000;
  long word;
  long value;
  long pieces[32];
  long rows[3][64];
  std::byte bytes[large];
};

// What one thread does to its own part of one worker: everything is written, waited for in one way or the
// other, and read again.
class OwnWork {
 public:
  OwnWork(int proc, Own* there) : proc_(proc), there_(there) { ARMCI_SET_AGGREGATE_HANDLE(&aggregate_); }
  ~OwnWork() { ARMCI_UNSET_AGGREGATE_HANDLE(&aggregate_); }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

  int round(long number) {
    put_all(number);
    return read_all(number);
  }

 private:
  void put_all(long number) {
    std::fill(std::begin(bytes_), std::end(bytes_), static_cast<std::byte>(number));
    for (auto& row : rows_) std::fill(std::begin(row), std::end(row), number);
    armci_hdl_t large, strided;
    ARMCI_INIT_HANDLE(&large);
    ARMCI_INIT_HANDLE(&strided);
    ARMCI_NbPut(bytes_, there_->bytes, sizeof bytes_, proc_, &large);
    int near_stride[] = {sizeof rows_[0]}, far_stride[] = {sizeof there_->rows[0]},
        count[] = {sizeof rows_[0], 3};
    ARMCI_NbPutS(rows_, near_stride, there_->rows, far_stride, count, 1, proc_, &strided);
    for (long i = 0; i < 32; ++i) {
      pieces_[i] = number * i;
      ARMCI_NbPut(&pieces_[i], &there_->pieces[i], sizeof(long), proc_, &aggregate_);
    }
    ARMCI_NbPutValueLong(number, &there_->value, proc_, &aggregate_);
    ARMCI_Put(&number, &there_->word, sizeof number, proc_);
    while (ARMCI_Test(&large) != 0) comex_progress();
    ARMCI_Wait(&large);
    ARMCI_Wait(&strided);
    ARMCI_Wait(&aggregate_);
  }
  int read_all(long number) {
    Own back{};
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbGet(there_, &back, offsetof(Own, bytes), proc_, &handle);
    ARMCI_Get(there_->bytes, back.bytes, sizeof back.bytes, proc_);
    ARMCI_Wait(&handle);
    int wrong = back.word != number || back.value != number ? 1 : 0;
    for (long i = 0; i < 32; ++i) wrong += back.pieces[i] != number * i ? 1 : 0;
    for (const auto& row : back.rows) wrong += row[0] != number || row[7] != number || row[8] != 0 ? 1 : 0;
    wrong += std::ranges::count(back.bytes, static_cast<std::byte>(number)) == sizeof back.bytes ? 0 : 1;
    return wrong;
  }

  int proc_;
  Own* there_;
  armci_hdl_t aggregate_;
  long pieces_[32] = {};
  long rows_[3][8] = {};
  std::byte bytes_[Own::large] = {};
};

// One round of a thread's additions to what is everybody's.
void add_to(Shared* shared, int proc, armci_hdl_t* aggregate) {
  long one = 1, before = -1;
  double unit = 1, row[4][8];
  for (auto& each : row) std::fill(std::begin(each), std::end(each), 1.0);
  int stride[] = {sizeof row[0]}, count[] = {sizeof row[0], 4};
  ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, &shared->accumulated, sizeof one, proc);
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, &shared->counted, 1, proc);
  ARMCI_NbAcc(ARMCI_ACC_LNG, &one, &one, &shared->collected, sizeof one, proc, aggregate);
  ARMCI_AccS(ARMCI_ACC_DBL, &unit, row, stride, shared->accumulated_rows, stride, count, 1, proc);
  ARMCI_Wait(aggregate);
}

TEST_P(ArmciThreads, mix_all_operations_on_shared_and_on_separate_targets) {
  std::vector<Shared*> shared;
  std::vector<Own*> own;
  for (int worker = 0; worker < job_.workers(); ++worker) {
    shared.push_back(job_.allocate<Shared>(worker, 1));
    own.push_back(job_.allocate<Own>(worker, threads));
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> running;
  for (int which = 0; which < threads; ++which) {
    running.emplace_back([&, which] {
      armci_hdl_t aggregate;
      ARMCI_SET_AGGREGATE_HANDLE(&aggregate);
      for (long number = 1; number <= rounds; ++number) {
        for (int step = 0; step < job_.workers(); ++step) {
          const int proc = (which + step) % job_.workers();
          wrong += OwnWork(proc, own[static_cast<std::size_t>(proc)] + which).round(number);
          add_to(shared[static_cast<std::size_t>(step)], step, &aggregate);
        }
        if (number % 4 == which) ARMCI_WaitAll();
        if (number % 4 == 0) ARMCI_Fence(which % job_.workers());
      }
      ARMCI_UNSET_AGGREGATE_HANDLE(&aggregate);
      ARMCI_AllFence();
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  for (const Shared* each : shared) {
    EXPECT_EQ(each->accumulated, threads * rounds);
    EXPECT_EQ(each->counted, threads * rounds);
    EXPECT_EQ(each->collected, threads * rounds);
    for (const auto& row : each->accumulated_rows) {
      for (const double sum : row) EXPECT_EQ(sum, threads * rounds);
    }
  }
}

// While one thread is in WaitAll, another issues what it has collected: its wait must still wait.
TEST_P(ArmciThreads, wait_for_their_own_aggregates_whoever_has_called_wait_all) {
  const int proc = job_.workers() - 1;
  long* const there = job_.allocate<long>(proc, 1);
  *there = 5;
  long back = 0;
  armci_hdl_t aggregate;
  ARMCI_SET_AGGREGATE_HANDLE(&aggregate);
  hold_requests_to(proc);
  ARMCI_NbGet(there, &back, sizeof back, proc, &aggregate);
  EXPECT_EQ(ARMCI_Test(&aggregate), 1);      // issued, and under way
  armci::state().aggregates.finished_all();  // what WaitAll does last
  EXPECT_EQ(ARMCI_Test(&aggregate), 1);
  release_requests_to(proc);
  ARMCI_Wait(&aggregate);
  EXPECT_EQ(back, 5);
  ARMCI_UNSET_AGGREGATE_HANDLE(&aggregate);
}

// A program may only ever test an aggregate that it has unset.
TEST_P(ArmciThreads, leave_nothing_behind_of_an_aggregate_that_a_test_has_found_done) {
  const int proc = job_.workers() - 1;
  long* const there = job_.allocate<long>(proc, 1);
  long back = 0;
  armci_hdl_t first, second;
  ARMCI_SET_AGGREGATE_HANDLE(&first);
  hold_requests_to(proc);
  ARMCI_NbGet(there, &back, sizeof back, proc, &first);
  ARMCI_UNSET_AGGREGATE_HANDLE(&first);
  EXPECT_EQ(ARMCI_Test(&first), 1);
  release_requests_to(proc);
  while (ARMCI_Test(&first) != 0) comex_progress();
  EXPECT_EQ(first, 0) << "nothing is kept for it";
  ARMCI_SET_AGGREGATE_HANDLE(&second);
  ARMCI_Wait(&first);  // of the handle that is over, not of its successor
  ARMCI_NbPutValueLong(3, there, proc, &second);
  ARMCI_Wait(&second);
  EXPECT_EQ(ARMCI_GetValueLong(there, proc), 3);
  ARMCI_UNSET_AGGREGATE_HANDLE(&second);
}

const Layout layouts[] = {{"progress_ranks", {0, 0, 1, 1}, "1"}, {"progress_threads", {0, 1, 2}, "0"}};
INSTANTIATE_TEST_SUITE_P(With, ArmciThreads, testing::ValuesIn(layouts),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace comex::whole
