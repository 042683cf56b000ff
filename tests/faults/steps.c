// A wrapper for each call of steps.def.
//
// Every argument of these functions is a whole number or a pointer. So each call is passed on as twelve
// words, of which the real function reads those that it has. No header that declares one of them may be
// included.
#include "faults.h"

#define STEP(name, kind, place)                                                                         \
  __attribute__((visibility("default"))) fault_call name;                                               \
  long name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k,     \
            long l) {                                                                                   \
    static struct fault_step step = {#name, kind, place, 0, 0};                                         \
    long w[fault_words] = {a, b, c, d, e, f, g, h, i, j, k, l};                                         \
    long result = 0;                                                                                    \
    if (fault_at_step(&step, __builtin_return_address(0), w, &result)) return result;                   \
    return fault_real(&step)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]); \
  }

#define OS(name) STEP(name, returns_minus_one, -1)
#define OS_OF_LENGTH(name) STEP(name, returns_minus_one, 2)
#define OS_CODE(name) STEP(name, returns_code, -1)
#define MPI(name, communicator) STEP(PMPI_##name, returns_mpi_code, communicator)

#include "steps.def"
