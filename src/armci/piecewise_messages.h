// Sends messages in pieces, of any total size, and never waits inside MPI.
//
// It makes progress of the runtime while it waits. Used by the tree; send and receive use its waits.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "armci/team.h"
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

// Returns MPI's code. The operation is "send" or "receive", the worker its other side.
inline int wait_for(MPI_Request& request, const char* operation, int worker,
                    MPI_Status* status = MPI_STATUS_IGNORE) {
  int done = 0;
  int code = PMPI_Test(&request, &done, status);
  for (WaitLoop loop(operation, worker); done == 0 && code == MPI_SUCCESS;) {
    loop.wait_a_round();
    code = PMPI_Test(&request, &done, status);
  }
  return code;
}

// Ends the job: members of a collective do not agree on how much they pass. Where the other one passes more,
// some MPIs end it first: they do not ask the communicator's error handler about a request.
[[noreturn]] void refuse_lengths(int from, int theirs, std::size_t mine);

// Between the ranks of a team's communicator. Pieces have at most max_piece bytes.
class TaggedMessages {
 public:
  static constexpr std::size_t max_piece = 256 * 1024;

  explicit TaggedMessages(const Team& team) : team_(team) {}
  TaggedMessages(const TaggedMessages&) = delete;
  TaggedMessages& operator=(const TaggedMessages&) = delete;
  ~TaggedMessages() { wait_for_sends(); }

  // The bytes must not change until wait_for_sends.
  void send(const void* bytes, std::size_t count, int to) {
    if (sends_.size() >= max_sends) {
      wait_for_send(sends_.front());
      sends_.pop_front();
    }
    Send& send = sends_.emplace_back(to);
    require_mpi(
        PMPI_Isend(bytes, static_cast<int>(count), MPI_BYTE, to, team_.tag, team_.comm, &send.request),
        "MPI_Isend");
  }
  void receive(void* bytes, std::size_t count, int from) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    require_mpi(PMPI_Irecv(bytes, static_cast<int>(count), MPI_BYTE, from, team_.tag, team_.comm, &request),
                "MPI_Irecv");
    const int code = wait_for(request, "receive", worker(from), &status);
    int came = -1;  // more than there is room for
    if (code == MPI_SUCCESS) PMPI_Get_count(&status, MPI_BYTE, &came);
    if (came != static_cast<int>(count)) refuse_lengths(from, came, count);
  }
  void wait_for_sends() {
    for (Send& send : sends_) wait_for_send(send);
    sends_.clear();
  }

 private:
  static constexpr std::size_t max_sends = 64;
  struct Send {
    explicit Send(int rank) : to(rank) {}
    int to;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  int worker(int rank) const { return (*team_.world_of)[static_cast<std::size_t>(rank)]; }
  void wait_for_send(Send& send) const {
    require_mpi(wait_for(send.request, "send", worker(send.to)), "MPI_Isend");
  }

  const Team& team_;
  std::deque<Send> sends_;
};

}  // namespace comex::armci
