// Steps at which a test makes things go wrong: the calls of MPI and of the operating system that libcomex
// makes.
//
// The library `faults` is loaded before all others (LD_PRELOAD). Each wrapper of steps.c asks fault_at_step
// whether its call is to be made. A step is named PHASE/FUNCTION#ORDINAL@RANK: the ORDINAL-th call of
// FUNCTION, counted from 1, that libcomex makes in PHASE of the program in the process of MPI rank RANK.
// Calls by others are no steps; that a phase begins is one, by the name of `begins`.
//
// COMEX_TEST_FAULTS names a folder with the file `page` (struct fault_page), in which every process counts
// its steps, in `steps.RANK`. COMEX_TEST_FAULT is the point, STEP:ACTION. The actions are kill, stop, short,
// mpi, and names of errno. COMEX_TEST_FAULT_KILLS lists ranks that end with the one of the point.
#ifndef COMEX_TESTS_FAULTS_H
#define COMEX_TESTS_FAULTS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { fault_words = 12, fault_phases = 20, fault_functions = 128, fault_name_bytes = 32, fault_ranks = 32 };

enum fault_kind {
  returns_minus_one,  // and sets errno; `place` is the argument with a length to cut short, or -1
  returns_code,       // the error is the result
  returns_mpi_code    // `place` is the argument with the communicator, whose handler is called first, or -1
};

typedef long fault_call(long, long, long, long, long, long, long, long, long, long, long, long);

struct fault_step {
  const char* name;
  enum fault_kind kind;
  int place;
  fault_call* real;
  int index;  // in the file of counts, from 1; 0: not yet known
};

// What all processes of the job and the driver share.
struct fault_page {
  unsigned phase;  // of the worker that announced last
  unsigned is_hit;
  unsigned is_of_program;  // the call that failed was over a communicator that has the program's handler
  int pids[fault_ranks];
  unsigned ends[fault_ranks];  // fault_end of each rank
};

// A rank that is asked to end dies before its next step. Inside MPI it could break a queue in shared memory
// of a survivor, which the death of another host cannot do.
enum fault_end { goes_on, asked_to_end, is_ending };

// What a process counts of one function.
struct fault_count {
  char name[fault_name_bytes];
  unsigned in_phase[fault_phases];
};

// Nonzero: the call is not made, and has *result. It may change the words, and may not return.
int fault_at_step(struct fault_step* step, const void* caller, long* words, long* result);
fault_call* fault_real(struct fault_step* step);

// What the program announces; weak there, so that it runs without the library.
void comex_test_phase(const char* name);

#ifdef __cplusplus
}
#endif
#endif
