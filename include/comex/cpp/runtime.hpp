// Start and end of the runtime. Included by comex.hpp.
#pragma once

#include <comex/cpp/error.hpp>
#include <comex/cpp/group.hpp>

#include <utility>

namespace comex {

// The runtime of this process, from construction to destruction or finalize(). One that begins while another
// lives joins it, and leaves the end to it. Construction is collective over MPI_COMM_WORLD or the
// communicator, and the end is collective over the workers.
//
// While it lives, failures are returned by the C calls (COMEX_ERRORS_RETURN) and thrown here; afterwards the
// mode is what it was. A failure of the start itself ends the job with a line, except that MPI_COMM_NULL and
// an MPI that has ended throw error.
//
// The runtime starts MPI if nobody has, with the thread level that it needs, and ends it in its destructor
// then; a program that begins a runtime more than once starts MPI itself. If the destructor runs because an
// exception passes, it ends the job, since the other workers may wait for this one for ever: a program that
// goes on after an exception catches it while the runtime lives.
class runtime {
 public:
  // On a progress rank it does not return: the rank serves, and its process ends with the job.
  runtime() { begin(nullptr, nullptr); }
  // The same; a start of MPI may take arguments from the program's.
  runtime(int& argc, char**& argv) { begin(&argc, &argv); }
  // Over the members of a communicator, which stays the caller's. On a progress rank it returns once the
  // workers have finalized, and is_worker() is false there: the rank makes no other call.
  explicit runtime(MPI_Comm over) {
    if (over == MPI_COMM_NULL) detail::fail({.name = "init_comm"});
    prepare();
    is_worker_ = comex_init_comm(over) == COMEX_SUCCESS;  // while errors end the job, nothing else fails
    finish_start();
  }
  runtime(runtime&& other) noexcept
      : is_alive_(std::exchange(other.is_alive_, false)),
        is_worker_(other.is_worker_),
        is_first_(other.is_first_),
        started_mpi_(std::exchange(other.started_mpi_, false)),
        mode_before_(other.mode_before_) {}
  runtime& operator=(runtime&&) = delete;
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  ~runtime() {
    if (is_alive_ && is_worker_ && passing_) comex_error("an exception left the scope of comex::runtime", 1);
    end();
    if (started_mpi_) MPI_Finalize();
  }

  bool is_worker() const noexcept { return is_worker_; }
  group world() const noexcept { return group::world(); }
  // Ends the runtime before its destructor does, and throws where an outstanding operation has failed.
  void finalize() { detail::check(end(), {.name = "finalize"}); }

 private:
  void begin(int* argc, char*** argv) {
    prepare();
    comex_init_args(argc, argv);
    finish_start();
  }
  void prepare() {
    int is_started = 0;
    int has_ended = 0;
    MPI_Initialized(&is_started);
    MPI_Finalized(&has_ended);
    if (has_ended != 0) detail::fail({.name = "init"});
    comex_get_errors(&mode_before_);
    is_first_ = comex_initialized() == 0;
    started_mpi_ = is_started == 0;
    comex_set_errors(COMEX_ERRORS_ABORT);
  }
  void finish_start() noexcept {
    is_alive_ = is_worker_;
    comex_set_errors(is_worker_ ? COMEX_ERRORS_RETURN : mode_before_);
  }
  int end() noexcept {
    if (!std::exchange(is_alive_, false)) return COMEX_SUCCESS;
    const int code = is_first_ ? comex_finalize() : COMEX_SUCCESS;
    if (is_first_) ++detail::ended_runtimes;
    comex_set_errors(mode_before_);
    return code;
  }

  bool is_alive_ = false;
  bool is_worker_ = true;
  bool is_first_ = true;
  bool started_mpi_ = false;
  int mode_before_ = COMEX_ERRORS_ABORT;
  detail::passing_exception passing_;
};

// Makes one round of progress on what is under way here, and never waits.
inline void progress() {
  detail::check(comex_progress(), {.name = "progress"});
}

}  // namespace comex
