// Sends messages in pieces, of any total size, and never waits inside MPI.
//
// It makes progress of the runtime while it waits. Used by the tree; send and receive use its waits.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "armci/wait_loop.h"
#include "flavour.h"

namespace comex::armci {

// Ends the job where a call of MPI has failed: the others would wait for its message.
inline void require_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  comex_error((std::string(call) + " failed: " + text).c_str(), 1);
}

// Returns MPI's code.
inline int wait_for(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) {
  int done = 0;
  int code = PMPI_Test(&request, &done, status);
  for (WaitLoop loop; done == 0 && code == MPI_SUCCESS;) {
    loop.wait_a_round();
    code = PMPI_Test(&request, &done, status);
  }
  return code;
}

// Ends the job: members of a collective do not agree on how much they pass. Where the other one passes more,
// MPI ends it before, unless the program has errors of its communicators returned.
[[noreturn]] void refuse_lengths(int from, int theirs, std::size_t mine);

// Between the ranks of one communicator under one tag. Pieces have at most max_piece bytes.
class TaggedMessages {
 public:
  static constexpr std::size_t max_piece = 256 * 1024;

  TaggedMessages(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {}
  TaggedMessages(const TaggedMessages&) = delete;
  TaggedMessages& operator=(const TaggedMessages&) = delete;
  ~TaggedMessages() { wait_for_sends(); }

  // The bytes must not change until wait_for_sends.
  void send(const void* bytes, std::size_t count, int to) {
    if (sends_.size() >= max_sends) {
      require_mpi(wait_for(sends_.front()), "MPI_Isend");
      sends_.pop_front();
    }
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(PMPI_Isend(bytes, static_cast<int>(count), MPI_BYTE, to, tag_, comm_, &request), "MPI_Isend");
    sends_.push_back(request);
  }
  void receive(void* bytes, std::size_t count, int from) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    require_mpi(PMPI_Irecv(bytes, static_cast<int>(count), MPI_BYTE, from, tag_, comm_, &request),
                "MPI_Irecv");
    const int code = wait_for(request, &status);
    int came = -1;  // more than there is room for
    if (code == MPI_SUCCESS) PMPI_Get_count(&status, MPI_BYTE, &came);
    if (came != static_cast<int>(count)) refuse_lengths(from, came, count);
  }
  void wait_for_sends() {
    for (MPI_Request& request : sends_) require_mpi(wait_for(request), "MPI_Isend");
    sends_.clear();
  }

 private:
  static constexpr std::size_t max_sends = 64;
  MPI_Comm comm_;
  int tag_;
  std::deque<MPI_Request> sends_;
};

}  // namespace comex::armci
