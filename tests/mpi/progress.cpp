// Who waits for whom: nobody waits for a worker that computes, sleeps or floods.
//
// Asserted by construction, not by time: a worker that "computes" makes no call until the others have
// finished what must not depend on it, so a dependence is a hang, which the alarm names.
// Usage: progress compute|origin|stopped|holder|flood|beside|user_mpi [threads]
#include <fcntl.h>
#include <sys/prctl.h>

#include <atomic>
#include <numeric>

#include "mpi/job.h"

using namespace comex::testing;

namespace {

// Calls nothing, until others have written `wanted` here.
void compute_until(const long* word, long wanted) {
  double work = 1;
  while (look(word) < wanted) {
    for (int i = 0; i < 1000; ++i) work = work * 1.0000001 + 1e-9;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  if (work < 0) std::abort();  // it is used
}

void add(const Job& job, long* word, int target) {
  long old = 0;
  job.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, word, 1, target, everyone));
}

// Words that others work on are in the middle of this many: no block that accumulates lock, 16 KiB,
// holds them and something else.
constexpr std::size_t alone = 8192;

// A little of everything, on one worker's memory.
void exercise(const Job& job, const Everywhere<long>& words, int target, int rounds) {
  long* const shared = words.of(target) + alone / 2;
  long* const own = shared + 64 + job.me;
  for (long round = 1; round <= rounds; ++round) {
    long one = 1;
    long seen = 0;
    job.done(comex_put(&round, own, sizeof round, target, everyone));
    job.done(comex_get(own, &seen, sizeof seen, target, everyone));
    job.equal(seen, round, "a word read back");
    job.done(comex_acc(COMEX_ACC_LNG, &one, &one, shared, sizeof one, target, everyone));
    add(job, shared + 1, target);
    job.done(comex_lock(0, target));
    job.done(comex_get(shared + 2, &seen, sizeof seen, target, everyone));
    ++seen;
    job.done(comex_put(&seen, shared + 2, sizeof seen, target, everyone));
    job.done(comex_fence_proc(target, everyone));
    job.done(comex_unlock(0, target));
  }
  job.done(comex_fence_proc(target, everyone));
}

void a_target_that_computes_delays_nobody(Job& job) {
  constexpr int rounds = 20;
  Everywhere<long> words(job, alone);
  job.done(comex_create_mutexes(1));
  for (int target = 0; target < job.workers; ++target) {
    job.check("a target that computes delays nobody", [&] {
      if (job.me == target) {
        compute_until(words.mine(), job.workers - 1);
        for (int counter = 0; counter < 3; ++counter) {
          job.equal(look(words.mine() + alone / 2 + counter), long{rounds} * (job.workers - 1),
                    "a counter of all");
        }
      } else {
        exercise(job, words, target, rounds);
        add(job, words.of(target), target);
      }
    });
  }
  job.done(comex_destroy_mutexes());
}

void an_origin_that_asks_for_much_and_computes_delays_nobody(Job& job) {
  constexpr std::size_t piece = 128 * 1024;  // words: 1 MiB
  constexpr int pieces = 64;
  constexpr int bytes = static_cast<int>(piece * sizeof(long));
  Everywhere<long> data(job, piece);
  Everywhere<long> words(job, alone);
  job.done(comex_create_mutexes(1));
  for (std::size_t at = 0; at < piece; ++at) data.mine()[at] = job.me + static_cast<long>(at);
  const int origin = 0;
  const int target = job.workers - 1;  // on another host, if there is one
  job.check("an origin that asks for much and computes delays nobody", [&] {
    if (job.me == origin) {
      std::vector<long> landing(piece * pieces);
      std::vector<comex_request_t> handles(pieces);
      for (std::size_t i = 0; i < pieces; ++i) {
        job.done(comex_nbget(data.of(target), &landing[i * piece], bytes, target, everyone, &handles[i]));
      }
      for (int other = 1; other < job.workers; ++other) job.send_word(other);
      compute_until(words.mine(), job.workers - 1);
      for (comex_request_t& handle : handles) job.done(comex_wait(&handle));
      for (std::size_t at = 0; at < landing.size(); ++at) {
        job.equal(landing[at], target + static_cast<long>(at % piece), "a word that was asked for");
      }
    } else {
      job.await_word(origin);
      exercise(job, words, target, 50);
      add(job, words.of(origin), origin);
    }
  });
  job.done(comex_destroy_mutexes());
}

// -- A worker that is stopped by a signal

char state_of(long process) {
  const std::string path = "/proc/" + std::to_string(process) + "/stat";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  char text[512] = {};
  if (file < 0 || read(file, text, sizeof text - 1) < 0) return '?';
  close(file);
  const char* end = std::strrchr(text, ')');
  return end == nullptr ? '?' : end[2];
}

void stop(const Job& job, long process) {
  job.require(kill(static_cast<pid_t>(process), SIGSTOP) == 0, "no signal could be sent");
  while (state_of(process) != 'T') sched_yield();
}
void wake(const Job& job, long process) {
  job.require(kill(static_cast<pid_t>(process), SIGCONT) == 0, "no signal could be sent");
}

std::vector<long> processes_of(const Job& job) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a stopped one would outlive a test that failed
  std::vector<long> processes(static_cast<std::size_t>(job.workers));
  const long mine = getpid();
  MPI_Allgather(&mine, 1, MPI_LONG, processes.data(), 1, MPI_LONG, job.comm);
  return processes;
}

// The others, among themselves, by way of its memory too.
void a_stopped_worker_stops_nobody(Job& job) {
  const std::vector<long> processes = processes_of(job);
  Everywhere<long> words(job, alone);
  job.done(comex_create_mutexes(1));
  const int victim = job.workers - 1;
  std::vector<int> others;
  for (int worker = 0; worker < victim; ++worker) others.push_back(worker);
  comex_group_t awake = COMEX_GROUP_NULL;
  job.done(comex_group_create(victim, others.data(), everyone, &awake));
  job.check("a stopped worker stops nobody", [&] {
    if (job.me == victim) {
      job.send_word(0);
      compute_until(words.mine(), job.workers - 1);
      return;
    }
    const long process = processes.back();
    if (job.me == 0) {
      job.await_word(victim);
      stop(job, process);
    }
    job.done(comex_barrier(awake));
    for (int target = 0; target < job.workers; ++target) exercise(job, words, target, 20);
    job.done(comex_fence_all(everyone));
    job.done(comex_barrier(awake));
    if (job.me == 0) {
      job.require(state_of(process) == 'T', "the stopped worker ran");
      wake(job, process);
    }
    add(job, words.of(victim), victim);
  });
  if (awake != COMEX_GROUP_NULL) job.done(comex_group_free(awake));
  job.done(comex_destroy_mutexes());
}

// Worker 1 accumulates into worker 0's memory all the time, so it is mostly stopped inside a locked block.
// The last two workers, elsewhere, have the progress rank of both serve them meanwhile: one with what must
// wait for the block, the other with what need not.
void a_worker_stopped_with_a_locked_block_does_not_stop_the_progress_rank(Job& job) {
  constexpr std::size_t length = 256 * 1024;
  constexpr int bytes = static_cast<int>(length * sizeof(long));
  constexpr long stops = 15;
  const std::vector<long> processes = processes_of(job);
  const int far = job.workers - 1;
  Everywhere<long> sums(job, length);
  Everywhere<long> words(job, alone);
  job.done(comex_create_mutexes(1));
  std::vector<long> ones(length, 1);
  long scale = 1;
  long rounds = 0;
  job.check("a worker stopped with a locked block does not stop the progress rank", [&] {
    if (job.me == 1) {
      while (look(words.mine()) == 0) {
        job.done(comex_acc(COMEX_ACC_LNG, &scale, ones.data(), sums.of(0), bytes, 0, everyone));
        ++rounds;
      }
    } else if (job.me == far - 1) {
      for (long turn = 0; turn < stops; ++turn) {
        job.await_word(far);
        job.done(comex_nbacc(COMEX_ACC_LNG, &scale, ones.data(), sums.of(0), bytes, 0, everyone, nullptr));
        job.send_word(far);
        job.done(comex_wait_proc(0, everyone));
        job.send_word(far);  // before that the block's holder is not stopped again
      }
    } else if (job.me == far) {
      for (long turn = 0; turn < stops; ++turn) {
        usleep(2000 + static_cast<useconds_t>(turn) * 137);
        stop(job, processes[1]);
        job.send_word(far - 1);
        job.await_word(far - 1);
        exercise(job, words, 1, 5);  // what is his is served by the same progress rank
        long old = 0;
        job.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, words.of(1) + 20, 1, 1, everyone));
        job.equal(old, turn, "an rmw beside the busy block");
        job.require(state_of(processes[1]) == 'T', "the stopped worker ran");
        wake(job, processes[1]);
        job.await_word(far - 1);
      }
      add(job, words.of(1), 1);
    }
  });
  MPI_Bcast(&rounds, 1, MPI_LONG, 1, job.comm);
  if (job.me == 0) {
    for (std::size_t at = 0; at < length; ++at) {
      job.equal(sums.mine()[at], rounds + stops, "an element both added to");
    }
  }
  job.done(comex_destroy_mutexes());
}

// -- All at one progress rank

void floods_are_right(Job& job) {
  constexpr int rounds = 250;
  constexpr std::size_t large = 1000;  // too much to travel in the message of its put
  constexpr std::size_t pieces = 12;   // more at once than there are credits for
  Everywhere<long> words(job, 64 + static_cast<std::size_t>(job.workers) * large * pieces);
  job.check("floods of one progress rank are right", [&] {
    if (job.me == 0) return;
    long one = 1;
    long* const own = words.of(0) + 64 + static_cast<std::size_t>(job.me) * large * pieces;
    std::vector<long> numbers(large * pieces);
    std::vector<long> back(large * pieces);
    std::vector<long> olds(rounds);
    for (long round = 0; round < rounds; ++round) {
      job.done(comex_nbacc(COMEX_ACC_LNG, &one, &one, words.of(0), sizeof one, 0, everyone, nullptr));
      job.done(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &olds[static_cast<std::size_t>(round)], words.of(0) + 1,
                           1, 0, everyone, nullptr));
      if (round % 10 != 0) continue;
      job.done(comex_wait_all(everyone));
      std::fill(numbers.begin(), numbers.end(), round);
      for (std::size_t at = 0; at < large * pieces; at += large)
        job.done(comex_nbput(numbers.data() + at, own + at, large * sizeof(long), 0, everyone, nullptr));
      job.done(comex_nbget(own, back.data(), large * pieces * sizeof(long), 0, everyone, nullptr));
      job.done(comex_wait_all(everyone));
      for (const long found : back) job.equal(found, round, "a word put and got");
    }
    job.done(comex_wait_all(everyone));
    job.require(std::is_sorted(olds.begin(), olds.end()), "one worker's rmws were out of order");
  });
  if (job.me == 0) {
    job.equal(words.mine()[0], long{rounds} * (job.workers - 1), "the sum of all");
    job.equal(words.mine()[1], long{rounds} * (job.workers - 1), "the counter of all");
  }
}

// -- A small get beside another's large put

// Worker 1 puts in one call, worker 0 asks meanwhile and tells how often.
void a_large_put_of_another_does_not_keep_small_gets(Job& job) {
  constexpr std::size_t length = std::size_t{32} << 20;
  constexpr int bytes = length * sizeof(long);
  const int target = job.workers - 1;
  Everywhere<long> words(job, 8);
  std::vector<void*> landings(static_cast<std::size_t>(job.workers));
  job.done(comex_malloc(landings.data(), job.me == target ? bytes : 0, everyone));
  auto* const landing = static_cast<long*>(landings[static_cast<std::size_t>(target)]);
  long gets = 0;
  job.check("a large put of another does not keep small gets", [&] {
    if (job.me == 1) {
      std::vector<long> source(length);
      std::iota(source.begin(), source.end(), 5);
      add(job, words.of(0), 0);
      job.done(comex_put(source.data(), landing, bytes, target, everyone));
      job.done(comex_fence_proc(target, everyone));
      add(job, words.of(0), 0);
    } else if (job.me == 0) {
      while (look(words.mine()) == 0) sched_yield();
      for (; look(words.mine()) == 1; ++gets) {
        long seen = -1;
        job.done(comex_get(words.of(target), &seen, sizeof seen, target, everyone));
        job.equal(seen, 0, "a word beside the put");
      }
    }
  });
  if (job.me == 0) std::printf("%ld gets beside a put\n", gets);
  if (job.me == target) {
    for (std::size_t at = 0; at < length; ++at)
      job.equal(landing[at], static_cast<long>(at) + 5, "a word put");
  }
  job.done(comex_free(landings[static_cast<std::size_t>(job.me)], everyone));
}

// -- The program's own messages

// Between MPI_Isend and MPI_Wait there is only a call of ours, which the receiver's MPI_Recv comes before.
void own_messages_move_in_our_waits(Job& job) {
  constexpr int bytes = 4 << 20;
  std::vector<char> data(bytes, 'x');
  Everywhere<long> words(job, 8);
  job.done(comex_create_mutexes(1));
  const bool is_paired = (job.me ^ 1) < job.workers;
  const bool sends = job.me % 2 == 0;
  const int other = job.me ^ 1;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto start = [&] { MPI_Isend(data.data(), bytes, MPI_CHAR, other, 5, job.comm, &request); };
  const auto finish = [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); };
  const auto receive = [&] {
    std::fill(data.begin(), data.end(), 'o');
    MPI_Recv(data.data(), bytes, MPI_CHAR, other, 5, job.comm, MPI_STATUS_IGNORE);
    job.require(std::count(data.begin(), data.end(), 'x') == bytes, "the program's message was damaged");
  };
  for (int round = 0; round < 3; ++round) {
    job.check("a program's message moves in a barrier", [&] {
      if (is_paired && sends) start();
      if (is_paired && !sends) receive();
      job.done(comex_barrier(everyone));
      if (is_paired && sends) finish();
    });
    job.check("a program's message moves in a lock", [&] {
      if (!is_paired) return;
      if (sends) {
        job.await_word(other);  // it holds the lock
        start();
        job.done(comex_lock(0, other));
        job.done(comex_unlock(0, other));
        finish();
      } else {
        job.done(comex_lock(0, job.me));
        job.send_word(other);
        receive();
        job.done(comex_unlock(0, job.me));
      }
    });
    job.check("a program's message moves in wait_until", [&] {
      if (!is_paired) return;
      if (sends) {
        start();
        job.done(comex_wait_until(words.mine(), COMEX_CMP_GT, round));
        finish();
      } else {
        receive();
        job.done(comex_put_signal(nullptr, nullptr, 0, words.of(other), round + 1, other, everyone));
      }
    });
    job.check("a program's message waits for no fence", [&] {
      if (!is_paired) return;
      long value = round;
      if (sends) start();
      if (!sends) receive();
      job.done(comex_put(&value, words.of(other) + 1, sizeof value, other, everyone));
      job.done(comex_fence_all(everyone));
      if (sends) finish();
    });
  }
  job.done(comex_destroy_mutexes());
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "progress");
  const std::pair<const char*, void (*)(Job&)> checks[] = {
      {"compute", a_target_that_computes_delays_nobody},
      {"origin", an_origin_that_asks_for_much_and_computes_delays_nobody},
      {"stopped", a_stopped_worker_stops_nobody},
      {"holder", a_worker_stopped_with_a_locked_block_does_not_stop_the_progress_rank},
      {"flood", floods_are_right},
      {"beside", a_large_put_of_another_does_not_keep_small_gets},
      {"user_mpi", own_messages_move_in_our_waits}};
  bool is_known = false;
  for (const auto& [name, check] : checks) {
    if (!job.has(name)) continue;
    is_known = true;
    check(job);
  }
  job.require(is_known, "the name of a check");
}
