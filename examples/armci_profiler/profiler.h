/* What differs between the two flavours of armci.h for the profiler: what Finalize yields. */
#ifndef EXAMPLES_ARMCI_PROFILER_H_
#define EXAMPLES_ARMCI_PROFILER_H_

#include <armci.h>
#include <message.h>

#ifdef ARMCI_MPI /* the packaged flavour says so */
#define FINALIZE_TYPE int
#define FINALIZE_RETURN return
#else
#include <parmci.h>
#define FINALIZE_TYPE void
#define FINALIZE_RETURN
#endif

#endif
