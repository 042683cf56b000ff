// Messages and collectives of MPI that the program makes itself. They order what it does with ComEx, so that
// the checker follows them. It leaves those of the runtime alone.
#include <mpi.h>

#include "checked/follow.h"

namespace comex::checker {
namespace {

// The checker, if the program makes the call.
Checker* following(const void* caller) {
  Checker* const check = checker();
  return check != nullptr && !is_runtime(caller) ? check : nullptr;
}

constexpr Flow::Way among_all = Flow::Way::among_all;
constexpr Flow::Way from_root = Flow::Way::from_root;
constexpr Flow::Way to_root = Flow::Way::to_root;
constexpr Flow::Way to_higher_ranks = Flow::Way::to_higher_ranks;
constexpr Flow::Way to_one = Flow::Way::to_one;

// A message, and a collective that does not block.
template <auto Function, class... Arguments>
int sending(const char* name, const void* caller, MPI_Comm comm, const Flow& flow, Arguments... arguments) {
  if (Checker* const check = following(caller)) check->sends(comm, flow);
  return next<Function>(name)(arguments...);
}

template <auto Function, class... Arguments>
int receiving(const char* name, const void* caller, Arguments... arguments) {
  const int code = next<Function>(name)(arguments...);
  if (Checker* const check = following(caller)) check->received();
  return code;
}

// What may or may not have received something.
template <auto Function, class... Arguments>
int testing(const char* name, const void* caller, const int* is_done, Arguments... arguments) {
  const int code = next<Function>(name)(arguments...);
  Checker* const check = following(caller);
  if (check != nullptr && *is_done != 0 && *is_done != MPI_UNDEFINED) check->received();
  return code;
}

template <auto Function, class... Arguments>
int meeting(const char* name, const void* caller, MPI_Comm comm, const Flow& flow, Arguments... arguments) {
  Checker* const check = following(caller);
  const bool is_exact = check == nullptr || check->reaches_exactly(comm);
  if (!is_exact) check->sends(comm, flow);
  const int code = next<Function>(name)(arguments...);
  if (!is_exact) {
    check->received();
  } else if (check != nullptr) {
    check->met_over(comm, flow);
  }
  return code;
}

}  // namespace
}  // namespace comex::checker

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

int MPI_Barrier(MPI_Comm comm) {
  return meeting<&MPI_Barrier>(__func__, __builtin_return_address(0), comm, Flow{among_all}, comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Ibarrier>(__func__, __builtin_return_address(0), comm, Flow{among_all}, comm, request);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return meeting<&MPI_Bcast>(__func__, __builtin_return_address(0), comm, Flow{from_root, root}, buffer,
                             count, datatype, root, comm);
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               MPI_Request* request) {
  return sending<&MPI_Ibcast>(__func__, __builtin_return_address(0), comm, Flow{from_root, root}, buffer,
                              count, datatype, root, comm, request);
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
               MPI_Comm comm) {
  return meeting<&MPI_Reduce>(__func__, __builtin_return_address(0), comm, Flow{to_root, root}, sendbuf,
                              recvbuf, count, datatype, op, root, comm);
}

int MPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Ireduce>(__func__, __builtin_return_address(0), comm, Flow{to_root, root}, sendbuf,
                               recvbuf, count, datatype, op, root, comm, request);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
  return meeting<&MPI_Allreduce>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                 recvbuf, count, datatype, op, comm);
}

int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Iallreduce>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                  recvbuf, count, datatype, op, comm, request);
}

int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return meeting<&MPI_Gather>(__func__, __builtin_return_address(0), comm, Flow{to_root, root}, sendbuf,
                              sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Igather>(__func__, __builtin_return_address(0), comm, Flow{to_root, root}, sendbuf,
                               sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return meeting<&MPI_Gatherv>(__func__, __builtin_return_address(0), comm, Flow{to_root, root}, sendbuf,
                               sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
}

int MPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request* request) {
  return sending<&MPI_Igatherv>(__func__, __builtin_return_address(0), comm, Flow{to_root, root}, sendbuf,
                                sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                                request);
}

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return meeting<&MPI_Scatter>(__func__, __builtin_return_address(0), comm, Flow{from_root, root}, sendbuf,
                               sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Iscatter>(__func__, __builtin_return_address(0), comm, Flow{from_root, root}, sendbuf,
                                sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
}

int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return meeting<&MPI_Scatterv>(__func__, __builtin_return_address(0), comm, Flow{from_root, root}, sendbuf,
                                sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  return sending<&MPI_Iscatterv>(__func__, __builtin_return_address(0), comm, Flow{from_root, root}, sendbuf,
                                 sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                 request);
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm) {
  return meeting<&MPI_Allgather>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                 sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Iallgather>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                  sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return meeting<&MPI_Allgatherv>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                  sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request* request) {
  return sending<&MPI_Iallgatherv>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                   sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  return meeting<&MPI_Alltoall>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Ialltoall>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                 sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm) {
  return meeting<&MPI_Alltoallv>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                 sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                   MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Ialltoallv>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                  sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                                  request);
}

int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm) {
  return meeting<&MPI_Reduce_scatter>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                      recvbuf, recvcounts, datatype, op, comm);
}

int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Ireduce_scatter>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                       recvbuf, recvcounts, datatype, op, comm, request);
}

int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm) {
  return meeting<&MPI_Reduce_scatter_block>(__func__, __builtin_return_address(0), comm, Flow{among_all},
                                            sendbuf, recvbuf, recvcount, datatype, op, comm);
}

int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Ireduce_scatter_block>(__func__, __builtin_return_address(0), comm, Flow{among_all},
                                             sendbuf, recvbuf, recvcount, datatype, op, comm, request);
}

int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return meeting<&MPI_Scan>(__func__, __builtin_return_address(0), comm, Flow{to_higher_ranks}, sendbuf,
                            recvbuf, count, datatype, op, comm);
}

int MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
              MPI_Request* request) {
  return sending<&MPI_Iscan>(__func__, __builtin_return_address(0), comm, Flow{to_higher_ranks}, sendbuf,
                             recvbuf, count, datatype, op, comm, request);
}

int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm) {
  return meeting<&MPI_Exscan>(__func__, __builtin_return_address(0), comm, Flow{to_higher_ranks}, sendbuf,
                              recvbuf, count, datatype, op, comm);
}

int MPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Iexscan>(__func__, __builtin_return_address(0), comm, Flow{to_higher_ranks}, sendbuf,
                               recvbuf, count, datatype, op, comm, request);
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                  const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return meeting<&MPI_Alltoallw>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                 sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                 comm);
}

int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                   const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
  return sending<&MPI_Ialltoallw>(__func__, __builtin_return_address(0), comm, Flow{among_all}, sendbuf,
                                  sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                  comm, request);
}

int MPI_Start(MPI_Request* request) {
  return sending<&MPI_Start>(__func__, __builtin_return_address(0), MPI_COMM_NULL, Flow{among_all}, request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  return sending<&MPI_Startall>(__func__, __builtin_return_address(0), MPI_COMM_NULL, Flow{among_all}, count,
                                requests);
}

// The runtime ends with MPI where the program has not ended it.
int MPI_Finalize() {
  if (following(__builtin_return_address(0)) != nullptr) close(COMEX_CALL);
  return next<&MPI_Finalize>(__func__)();
}

}  // extern "C"
#pragma GCC visibility pop
