// Four threads of a worker and the C functions: each sees its own operations in its own order, whatever the
// others do, with blocks of 1 to 4 ints and handles on its stack.
#include <atomic>

#include "conformance/job_rig.h"

namespace comex::whole {
namespace {

constexpr comex_group_t everybody = COMEX_GROUP_WORLD;
constexpr int threads = 4;
constexpr int rounds_of_threads = 400;
constexpr int width = 4;
constexpr int blocks_of_tables = 32;

struct Shared {
  std::atomic<int> wrong{0};
  long* tasks = nullptr;
  std::vector<int*> tables;  // each worker's: block b has 7 * b, 7 * b + 1, ...
  std::vector<int*> own;     // and a block for each thread
};

void give_way(int round, int thread) {
  if ((round + thread) % 3 == 0) std::this_thread::yield();
}

// Takes a task and reads its block, in both ways.
void read_a_task(const Shared& shared, int thread, int round, int& wrong) {
  long task = 0;
  if (comex_rmw(COMEX_FETCH_AND_ADD_LONG, &task, shared.tasks, 1, 1, everybody) != COMEX_SUCCESS) ++wrong;
  const int block = static_cast<int>(task % blocks_of_tables),
            bytes = (1 + block % width) * static_cast<int>(sizeof(int));
  const int worker = static_cast<int>(task % static_cast<long>(shared.tables.size()));
  int* const there = shared.tables[static_cast<std::size_t>(worker)] + block * width;
  int awaited[width] = {-1, -1, -1, -1};
  int got[width] = {-1, -1, -1, -1};
  comex_request_t handle = 0;
  comex_nbget(there, awaited, bytes, worker, everybody, &handle);
  give_way(round, thread);
  comex_get(there, got, bytes, worker, everybody);
  int status = round % 2;
  while (status != 0) comex_test(&handle, &status);
  comex_wait(&handle);
  for (int i = 0; i <= block % width; ++i) wrong += awaited[i] != 7 * block + i || got[i] != 7 * block + i;
}

// Writes the thread's block and reads it again: a put, one that nobody waits for, an accumulate.
void write_and_read(const Shared& shared, int thread, int round, int& wrong) {
  const int worker = (thread + round) % static_cast<int>(shared.own.size());
  const int count = 1 + (round + thread) % width, bytes = count * static_cast<int>(sizeof(int));
  int* const there = shared.own[static_cast<std::size_t>(worker)] + thread * width;
  int sent[width], more[width], one = 1;
  int got[width] = {-1, -1, -1, -1}, again[width] = {-1, -1, -1, -1};
  for (int i = 0; i < width; ++i) {
    sent[i] = round * width + i;
    more[i] = 1000;
  }
  comex_request_t put = 0, first = 0, second = 0;
  if (round % 2 == 0) {
    comex_put(sent, there, bytes, worker, everybody);
  } else {
    comex_nbput(sent, there, bytes, worker, everybody, round % 4 == 1 ? nullptr : &put);
  }
  comex_nbget(there, got, bytes, worker, everybody, &first);
  give_way(round, thread);
  comex_nbacc(COMEX_ACC_INT, &one, more, there, bytes, worker, everybody, nullptr);
  comex_nbget(there, again, bytes, worker, everybody, &second);
  comex_wait(&second);
  comex_wait(&first);
  if (put != 0) comex_wait(&put);
  if (round % 16 == thread) comex_wait_proc(worker, everybody);
  for (int i = 0; i < count; ++i) wrong += got[i] != sent[i] || again[i] != sent[i] + 1000;
}

class Threads : public testing::TestWithParam<std::pair<const char*, std::vector<int>>> {
 protected:
  Job job_{GetParam().second,
           {{"GA_NUM_PROGRESS_RANKS_PER_NODE", GetParam().second.size() == 3 ? "0" : "1"}}};
};

TEST_P(Threads, see_what_they_have_written_and_what_stands_there) {
  Shared shared;
  shared.tasks = job_.allocate<long>(1, 1);
  for (int worker = 0; worker < job_.workers(); ++worker) {
    int* const table = job_.allocate<int>(worker, blocks_of_tables * width);
    for (int i = 0; i < blocks_of_tables * width; ++i) table[i] = 7 * (i / width) + i % width;
    shared.tables.push_back(table);
    shared.own.push_back(job_.allocate<int>(worker, threads * width));
  }
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&shared, thread] {
      int wrong = 0;
      for (int round = 0; round < rounds_of_threads; ++round) {
        read_a_task(shared, thread, round, wrong);
        write_and_read(shared, thread, round, wrong);
      }
      shared.wrong += wrong;
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(shared.wrong.load(), 0);
  EXPECT_EQ(*shared.tasks, threads * rounds_of_threads);
}

// One thread gives back what nobody holds, and another, which does nothing wrong, fences the same target.
TEST_P(Threads, are_told_of_their_own_unlocks_only) {
  job_.create_mutexes(1);
  comex_set_errors(COMEX_ERRORS_RETURN);
  testing::internal::CaptureStderr();
  std::atomic<bool> is_over{false};
  int refused = 0, failed_fences = 0;
  const int far = job_.workers() - 1;  // on another host
  std::thread fencing([&] {
    while (!is_over) failed_fences += comex_fence_proc(far, everybody) == COMEX_SUCCESS ? 0 : 1;
  });
  for (int round = 0; round < rounds_of_threads; ++round)
    refused += comex_unlock(0, far) == COMEX_SUCCESS ? 0 : 1;
  is_over = true;
  fencing.join();
  EXPECT_EQ(std::ranges::count(testing::internal::GetCapturedStderr(), '\n'), rounds_of_threads);
  comex_set_errors(COMEX_ERRORS_ABORT);
  EXPECT_EQ(refused, rounds_of_threads);
  EXPECT_EQ(failed_fences, 0);
}

INSTANTIATE_TEST_SUITE_P(With, Threads,
                         testing::Values(std::pair{"progress_ranks", std::vector<int>{0, 0, 0, 1, 1}},
                                         std::pair{"progress_threads", std::vector<int>{0, 1, 2}}),
                         [](const auto& of) { return std::string(of.param.first); });

}  // namespace
}  // namespace comex::whole
