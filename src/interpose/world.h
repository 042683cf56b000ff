// Replaces MPI_COMM_WORLD in a program that knows nothing of progress ranks.
//
// The generated wrappers call only this. begin() splits the ranks inside MPI_Init. After that, the functions
// below replace MPI_COMM_WORLD by the workers' communicator; with COMEX_WORLD=warn they keep it and report
// where the program used it. Any thread may call them. `caller` is the wrapper's return address.
#pragma once

#include <mpi.h>

namespace comex::interpose {

// Called before MPI starts. True if a worker may have to serve itself and MPI has to provide the threads for
// it.
bool wants_threads();
int thread_level(int required);
int start_mpi(int* argc, char*** argv);  // in place of PMPI_Init
void* fortran_thread_level(void* required);
// `result` is the result of PMPI_Init. Progress ranks do not return. A second call does nothing, because an
// MPI_Init of Fortran may call that of C.
int begin(int result);
void fortran_begin(MPI_Fint* ierror);

MPI_Comm workers_for(MPI_Comm comm, const char* call, const void* caller);

// The communicator to ask for an attribute: the real world for attributes that MPI itself defines.
MPI_Comm attribute_home(MPI_Comm comm, int keyval, const char* call, const void* caller);

// Takes the progress ranks out of a new group, if MPI_COMM_WORLD is replaced. Returns what MPI returns.
int keep_workers(MPI_Group* group);
MPI_Fint fortran_keep_workers(void* group);

// True if `comm` is MPI_COMM_WORLD and workers_for would replace it.
bool stands_for_world(MPI_Comm comm);

// The communicator that Fortran names at this address.
inline MPI_Comm fortran_comm(const void* comm) {
  return PMPI_Comm_f2c(*static_cast<const MPI_Fint*>(comm));
}

// Ends the program with a message if the MPI library in use lacks a function.
void require(const void* function, const char* name);

}  // namespace comex::interpose
