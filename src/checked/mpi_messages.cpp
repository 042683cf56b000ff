// Messages of MPI that the program sends itself, and the end of MPI. They order what the program does with
// ComEx, so that the checker follows them. It leaves those of the runtime alone.
#include "checked/follow_mpi.h"

using namespace comex::checker;

// Not every mpi.h says that its functions are seen from outside.
#pragma GCC visibility push(default)
extern "C" {

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return sending<&MPI_Send>(__func__, __builtin_return_address(0), comm, Flow{to_one, dest}, buf, count,
                            datatype, dest, tag, comm);
}

int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return sending<&MPI_Bsend>(__func__, __builtin_return_address(0), comm, Flow{to_one, dest}, buf, count,
                             datatype, dest, tag, comm);
}

int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return sending<&MPI_Ssend>(__func__, __builtin_return_address(0), comm, Flow{to_one, dest}, buf, count,
                             datatype, dest, tag, comm);
}

int MPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return sending<&MPI_Rsend>(__func__, __builtin_return_address(0), comm, Flow{to_one, dest}, buf, count,
                             datatype, dest, tag, comm);
}

int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return sending<&MPI_Isend>(__func__, __builtin_return_address(0), comm, Flow{to_one, dest}, buf, count,
                             datatype, dest, tag, comm, request);
}

int MPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return sending<&MPI_Ibsend>(__func__, __builtin_return_address(0), comm, Flow{to_one, dest}, buf, count,
                              datatype, dest, tag, comm, request);
}

int MPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return sending<&MPI_Issend>(__func__, __builtin_return_address(0), comm, Flow{to_one, dest}, buf, count,
                              datatype, dest, tag, comm, request);
}

int MPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return sending<&MPI_Irsend>(__func__, __builtin_return_address(0), comm, Flow{to_one, dest}, buf, count,
                              datatype, dest, tag, comm, request);
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return receiving<&MPI_Recv>(__func__, __builtin_return_address(0), buf, count, datatype, source, tag, comm,
                              status);
}

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return receiving<&MPI_Mrecv>(__func__, __builtin_return_address(0), buf, count, datatype, message, status);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return receiving<&MPI_Wait>(__func__, __builtin_return_address(0), request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return receiving<&MPI_Waitall>(__func__, __builtin_return_address(0), count, requests, statuses);
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  return receiving<&MPI_Waitany>(__func__, __builtin_return_address(0), count, requests, index, status);
}

int MPI_Waitsome(int count, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  return receiving<&MPI_Waitsome>(__func__, __builtin_return_address(0), count, requests, outcount, indices,
                                  statuses);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return testing<&MPI_Test>(__func__, __builtin_return_address(0), flag, request, flag, status);
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  return testing<&MPI_Testall>(__func__, __builtin_return_address(0), flag, count, requests, flag, statuses);
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  return testing<&MPI_Testany>(__func__, __builtin_return_address(0), flag, count, requests, index, flag,
                               status);
}

int MPI_Testsome(int count, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  return testing<&MPI_Testsome>(__func__, __builtin_return_address(0), outcount, count, requests, outcount,
                                indices, statuses);
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status* status) {
  if (Checker* const check = following(__builtin_return_address(0))) check->sends(comm, {to_one, dest});
  return receiving<&MPI_Sendrecv>(__func__, __builtin_return_address(0), sendbuf, sendcount, sendtype, dest,
                                  sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status* status) {
  if (Checker* const check = following(__builtin_return_address(0))) check->sends(comm, {to_one, dest});
  return receiving<&MPI_Sendrecv_replace>(__func__, __builtin_return_address(0), buf, count, datatype, dest,
                                          sendtag, source, recvtag, comm, status);
}

int MPI_Start(MPI_Request* request) {
  return sending<&MPI_Start>(__func__, __builtin_return_address(0), MPI_COMM_NULL, Flow{among_all}, request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  return sending<&MPI_Startall>(__func__, __builtin_return_address(0), MPI_COMM_NULL, Flow{among_all}, count,
                                requests);
}

// The ARMCI library sends its messages by these names, which a profiler does not see.
int PMPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  if (Checker* const check = following_armci(__builtin_return_address(0))) check->sends(comm, {to_one, dest});
  return next<&PMPI_Isend>(__func__)(buf, count, datatype, dest, tag, comm, request);
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const int code = next<&PMPI_Test>(__func__)(request, flag, status);
  if (*flag == 0) return code;
  if (Checker* const check = following_armci(__builtin_return_address(0))) check->received();
  return code;
}

// The runtime ends with MPI where the program has not ended it.
int MPI_Finalize() {
  if (following(__builtin_return_address(0)) != nullptr) close(COMEX_CALL);
  return next<&MPI_Finalize>(__func__)();
}

}  // extern "C"
#pragma GCC visibility pop
