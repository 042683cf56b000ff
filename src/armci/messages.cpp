// The calls for messages between two workers, and for rank and size.
#include "armci/state.h"
#include "armci/wait_loop.h"

using namespace comex::armci;

namespace {

MPI_Comm world() {
  MPI_Comm comm = MPI_COMM_NULL;
  comex_group_comm(COMEX_GROUP_WORLD, &comm);
  return comm;
}

// MPI would end the job with lines of its own.
void require_sound(int tag, const void* buffer, int bytes, MPI_Comm comm) {
  void* greatest = nullptr;
  int is_there = 0;
  PMPI_Comm_get_attr(comm, MPI_TAG_UB, &greatest, &is_there);
  if (tag < 0 || (is_there != 0 && tag > *static_cast<int*>(greatest)))
    comex_error("a message's tag is negative, or greater than MPI allows", tag);
  if (bytes < 0) comex_error("a message of a negative length", bytes);
  if (buffer == nullptr && bytes > 0) comex_error("a message's buffer is null", bytes);
}

void require_worker(int rank, const char* what) {
  if (rank < 0 || rank >= state().size) comex_error(what, rank);
}

// Probes first, so that a message that is too long is reported by the façade and not by MPI. What was probed
// is received, whatever other threads receive.
int receive(int tag, void* buffer, int buflen, int* msglen, int from) {
  const MPI_Comm comm = world();
  require_sound(tag == MPI_ANY_TAG ? 0 : tag, buffer, buflen, comm);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int there = 0;
  require_mpi(PMPI_Improbe(from, tag, comm, &there, &message, &status), "MPI_Improbe");
  for (WaitLoop loop("receive", from == MPI_ANY_SOURCE ? -1 : from); there == 0;) {
    loop.wait_a_round();
    require_mpi(PMPI_Improbe(from, tag, comm, &there, &message, &status), "MPI_Improbe");
  }
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  if (bytes > buflen) comex_error("a message is longer than the buffer that armci_msg_rcv was given", bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(PMPI_Imrecv(buffer, buflen, MPI_BYTE, &message, &request), "MPI_Imrecv");
  require_mpi(wait_for(request, "receive", status.MPI_SOURCE), "MPI_Imrecv");
  if (msglen != nullptr) *msglen = bytes;
  return status.MPI_SOURCE;
}

}  // namespace

COMEX_C int armci_msg_me(void) {
  const comex::runtime::CallName called(__func__);
  int rank = -1;
  comex_group_rank(COMEX_GROUP_WORLD, &rank);
  return rank;
}

COMEX_C int armci_msg_nproc(void) {
  const comex::runtime::CallName called(__func__);
  int size = 0;
  comex_group_size(COMEX_GROUP_WORLD, &size);
  return size;
}

COMEX_C void armci_msg_abort(int code) {
  const comex::runtime::CallName called(__func__);
  comex_error("the program ends the job", code);
}

COMEX_C double armci_timer(void) {
  pass();
  return PMPI_Wtime();
}

COMEX_C void armci_msg_snd(int tag, void* buffer, int len, int to) {
  const comex::runtime::CallName called(__func__);
  require_worker(to, "a message to a rank that there is not");
  const MPI_Comm comm = world();
  require_sound(tag, buffer, len, comm);
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(PMPI_Isend(buffer, len, MPI_BYTE, to, tag, comm, &request), "MPI_Isend");
  require_mpi(wait_for(request, "send", to), "MPI_Isend");
}

COMEX_C void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from) {
  const comex::runtime::CallName called(__func__);
  require_worker(from, "a message from a rank that there is not");
  receive(tag, buffer, buflen, msglen, from);
}

COMEX_C int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen) {
  const comex::runtime::CallName called(__func__);
  return receive(tag, buffer, buflen, msglen, MPI_ANY_SOURCE);
}
