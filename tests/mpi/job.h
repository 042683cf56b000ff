// What every MPI test here shares: one worker's place in the job, named checks, memory of all workers.
//
// A check that fails ends the job with worker, check and line. A check that hangs is named by the
// alarm, which comes before the launcher's own limit. Needs comex.h only.
#pragma once

#include <comex/comex.h>
#include <malloc.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace comex::testing {

constexpr comex_group_t everyone = COMEX_GROUP_WORLD;

class Job {
 public:
  // The argument "threads" asks for threads in MPI: where no progress rank is, workers that wait in MPI
  // itself are then served for all the same.
  Job(int argc, char** argv, const char* program) : arguments(argv + 1, argv + argc), program_(program) {
    // Freed images stay for the next ones: their pages would else be given back and taken anew each time.
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    MPI_Init_thread(&argc, &argv, has("threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &thread_level);
    // A progress rank stays in here until the workers enter MPI_Finalize.
    if (comex_init() != COMEX_SUCCESS) std::exit(EXIT_FAILURE);
    comex_group_rank(everyone, &me);
    comex_group_size(everyone, &workers);
    comex_group_comm(everyone, &comm);
    name_hang("start");
    constexpr unsigned patience_s = 50 * COMEX_TEST_SLOWNESS;
    std::signal(SIGALRM, tell_hang);
    alarm(patience_s);
  }
  ~Job() {
    alarm(0);
    MPI_Barrier(comm);
    if (me == 0) std::printf("%s: %d workers, %d checks ok\n", program_, workers, checks_);
    comex_finalize();
    MPI_Finalize();
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Collective: all workers begin a check together and leave it together.
  template <class Body>
  void check(const char* sentence, Body&& body) {
    name_hang(sentence);
    comex_barrier(everyone);
    body();
    comex_barrier(everyone);
    ++checks_;
  }

  void require(bool holds, const char* what,
               std::source_location where = std::source_location::current()) const {
    if (!holds) fail(what, where);
  }
  void done(int code, std::source_location where = std::source_location::current()) const {
    if (code != COMEX_SUCCESS) fail("a call returned failure", where);
  }
  template <class T>
  void equal(const T& found, const std::type_identity_t<T>& wanted, const char* what,
             std::source_location where = std::source_location::current()) const {
    if (found < wanted || wanted < found) {
      fail(std::string(what) + " is " + std::to_string(found) + ", must be " + std::to_string(wanted), where);
    }
  }

  [[noreturn]] void fail(const std::string& what,
                         std::source_location where = std::source_location::current()) const {
    const std::string text = std::string(program_) + ": worker " + std::to_string(me) + ", check '" +
                             hang_name() + "', line " + std::to_string(where.line()) + ": " + what;
    comex_error(text.c_str(), 1);
    std::abort();
  }

  bool has(const char* argument) const {
    return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
  }
  int host(int worker) const {
    int number = 0;
    done(comex_host_of(worker, everyone, &number));
    return number;
  }
  void send_word(int to) const { MPI_Send(nullptr, 0, MPI_BYTE, to, word_tag, comm); }
  void await_word(int from) const { MPI_Recv(nullptr, 0, MPI_BYTE, from, word_tag, comm, MPI_STATUS_IGNORE); }

  int me = 0;
  int workers = 0;
  int thread_level = MPI_THREAD_SINGLE;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<std::string> arguments;

 private:
  static constexpr int word_tag = 4711;
  static constexpr std::size_t name_bytes = 200;

  static char* hang_name() {  // the one thing that a signal handler can see
    static char name[name_bytes];
    return name;
  }
  static void name_hang(const char* sentence) { std::snprintf(hang_name(), name_bytes, "%s", sentence); }
  static void tell_hang(int) {
    const char* parts[] = {"hangs in check: ", hang_name(), "\n"};
    for (const char* part : parts) {
      if (write(STDERR_FILENO, part, std::strlen(part)) < 0) _exit(EXIT_FAILURE);
    }
    _exit(EXIT_FAILURE);
  }

  const char* program_;
  int checks_ = 0;
};

// `count` elements of every worker, zero at first.
template <class T>
class Everywhere {
 public:
  Everywhere(const Job& job, std::size_t count, comex_group_t group = everyone) : group_(group) {
    int size = 0;
    job.done(comex_group_size(group, &size));
    job.done(comex_group_rank(group, &rank_));
    pointers_.resize(static_cast<std::size_t>(size));
    job.done(comex_malloc(pointers_.data(), count * sizeof(T), group));
    std::fill_n(mine(), count, T{});
    job.done(comex_barrier(group));
  }
  ~Everywhere() { comex_free(pointers_[static_cast<std::size_t>(rank_)], group_); }
  Everywhere(const Everywhere&) = delete;
  Everywhere& operator=(const Everywhere&) = delete;

  T* of(int rank) const { return static_cast<T*>(pointers_[static_cast<std::size_t>(rank)]); }
  T* mine() const { return of(rank_); }

 private:
  comex_group_t group_;
  int rank_ = 0;
  std::vector<void*> pointers_;
};

// What another process or the server may change meanwhile.
inline long look(const long* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

}  // namespace comex::testing
