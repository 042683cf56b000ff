// What stands for MPI_COMM_WORLD in a program that knows nothing of progress ranks.
//
// The generated wrappers call this and only this. begin() splits the ranks inside MPI_Init; from then on the
// functions below put the workers' communicator in the place of MPI_COMM_WORLD, or, where COMEX_WORLD is
// warn, leave it and say where the program used it. Any thread may call them. `caller` is the return address
// of the wrapper; Fortran communicators and keys are addresses of MPI_Fint.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace comex::interpose {

// Before MPI starts: where a worker may have to serve itself, MPI_Init gives it the threads to do so, and
// MPI_Init_thread is asked for them.
void want_threads();
int thread_level(int required);
void* fortran_thread_level(void* required);
// `result` is what PMPI_Init returned. Progress ranks do not return.
int begin(int result);
void fortran_begin(MPI_Fint* ierror);
void end();

MPI_Comm workers_for(MPI_Comm comm, const char* call, const void* caller);
void* fortran_workers_for(void* comm, const char* call, const void* caller);

// The communicator to ask for an attribute: the real world for those that MPI itself defines.
MPI_Comm attribute_home(MPI_Comm comm, int keyval, const char* call, const void* caller);
void* fortran_attribute_home(void* comm, const void* keyval, const char* call, const void* caller);

// True when `comm` is MPI_COMM_WORLD and workers_for would replace it.
bool stands_for_world(MPI_Comm comm);
bool fortran_stands_for_world(const void* comm);

// Ends the program, saying so, when the MPI library in use lacks a function.
void require(const void* function, const char* name);

}  // namespace comex::interpose
