// Collectives of MPI that the program makes itself. They order what the program does with ComEx, so that the
// checker follows them. It leaves those of the runtime alone.
#include "checked/follow_mpi.h"

using namespace comex::checker;

// Not every mpi.h says that its functions are seen from outside.
#pragma GCC visibility push(default)
extern "C" {

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

}  // extern "C"
#pragma GCC visibility pop
