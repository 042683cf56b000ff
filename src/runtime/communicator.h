// Owns one MPI communicator of the runtime and frees it, unless MPI has ended.
//
// Every call is PMPI_*, so an interposing library or profiler never sees the runtime's own traffic.
#pragma once

#include <mpi.h>

#include <span>
#include <utility>

#include "transport/mpi_check.h"

namespace comex::runtime {

inline bool mpi_is_running() {
  int started = 0;
  int finished = 0;
  PMPI_Initialized(&started);
  PMPI_Finalized(&finished);
  return started != 0 && finished == 0;
}

// Prints the failure of a call of MPI and ends the job.
[[noreturn]] void mpi_failure(const Failure& failure);
// For calls of MPI that no transport makes.
const transport::MpiCheck& mpi_check();

// While it lives, errors on a communicator that the program may have are returned, and so on those made of
// it.
class ReturnedErrors {
 public:
  explicit ReturnedErrors(MPI_Comm comm) : comm_(comm) {
    mpi_check()(PMPI_Comm_get_errhandler(comm, &handler_), "MPI_Comm_get_errhandler");
    mpi_check()(PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ReturnedErrors(const ReturnedErrors&) = delete;
  ReturnedErrors& operator=(const ReturnedErrors&) = delete;
  ~ReturnedErrors() {
    PMPI_Comm_set_errhandler(comm_, handler_);
    PMPI_Errhandler_free(&handler_);
  }
  // The handler that the communicator has otherwise.
  void hand_to(MPI_Comm made) const {
    mpi_check()(PMPI_Comm_set_errhandler(made, handler_), "MPI_Comm_set_errhandler");
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

class Communicator {
 public:
  Communicator() = default;
  explicit Communicator(MPI_Comm owned) : comm_(owned) {}
  Communicator(Communicator&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() {
    if (comm_ != MPI_COMM_NULL && mpi_is_running()) PMPI_Comm_free(&comm_);
  }

  static Communicator duplicate(MPI_Comm of) {
    return made_from(of, [&](MPI_Comm* made) { mpi_check()(PMPI_Comm_dup(of, made), "MPI_Comm_dup"); });
  }
  static Communicator split(MPI_Comm of, int color, int key) {
    return made_from(
        of, [&](MPI_Comm* made) { mpi_check()(PMPI_Comm_split(of, color, key, made), "MPI_Comm_split"); });
  }
  // Makes a communicator of these ranks of another one, in their order; only they take part. (Merging
  // inter-communicators in pairs needs MPI-1 only, but libraries leak some 80 bytes for each.) Where MPI has
  // no more, some after 2,000, the job ends, since others may wait in MPI; one rank alone goes without.
  static Communicator of_ranks(MPI_Comm of, std::span<const int> ranks, int tag) {
    return made_from(of, [&](MPI_Comm* made) {
      MPI_Group all = MPI_GROUP_NULL;
      MPI_Group some = MPI_GROUP_NULL;
      const auto& check = mpi_check();
      check(PMPI_Comm_group(of, &all), "MPI_Comm_group");
      check(PMPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some), "MPI_Group_incl");
      const int code = PMPI_Comm_create_group(of, some, tag, made);
      if (code != MPI_SUCCESS) *made = MPI_COMM_NULL;
      if (ranks.size() != 1) check(code, "MPI_Comm_create_group");
      PMPI_Group_free(&some);
      PMPI_Group_free(&all);
    });
  }

  MPI_Comm get() const { return comm_; }
  // For one that the program gets: it deals with errors there as it has chosen for the other.
  void take_handler_of(MPI_Comm other) const {
    if (comm_ != MPI_COMM_NULL) ReturnedErrors(other).hand_to(comm_);
  }
  // Gives it up without freeing it, because ranks that would have to take part are gone.
  void forget() { comm_ = MPI_COMM_NULL; }
  explicit operator bool() const { return comm_ != MPI_COMM_NULL; }
  int rank() const {
    int rank = 0;
    mpi_check()(PMPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
    return rank;
  }
  int size() const {
    int size = 0;
    mpi_check()(PMPI_Comm_size(comm_, &size), "MPI_Comm_size");
    return size;
  }

 private:
  // One that make(&made) makes of another has its error handler.
  template <class Make>
  static Communicator made_from(MPI_Comm of, const Make& make) {
    MPI_Comm made = MPI_COMM_NULL;
    const ReturnedErrors returned(of);
    make(&made);
    if (made != MPI_COMM_NULL) returned.hand_to(made);
    return Communicator(made);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace comex::runtime
