/*
 * A running job spawns helpers, which take part in its work and leave again.
 *
 *   mpirun -n 3 elastic [processes [tasks]]   (on one host: 2 workers and 1 progress rank; 3 processes are
 *                                              2 helpers and their progress rank)
 *
 * The input and the result are spread over the workers' memory. A task is one row: whoever draws its number
 * from the counter on worker 0 gets the row, smooths it and accumulates it into the result. Helpers do the
 * same from a world of their own. When all tasks are done they disconnect and end; the workers check every
 * number.
 */
#include <comex/worlds.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { row_numbers = 1000, row_bytes = row_numbers * (int)sizeof(double), sweeps = 50 };

/* What everybody knows of the job: rows are dealt in turn over the first `owners` ranks of the group. */
typedef struct {
  comex_group_t group;
  int owners;
  int tasks;
  void** input; /* by rank; NULL for helpers, who own nothing */
  void** result;
  void** counter; /* on rank 0 only */
} job_t;

static void must(int code, const char* what) {
  if (code != COMEX_SUCCESS) comex_error(what, 1);
}

static double start_value(int task, int i) {
  return (double)((task * 31 + i * 17) % 101);
}

static void smooth(double* row) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double left = row[0];
    for (int i = 1; i + 1 < row_numbers; ++i) {
      double here = row[i];
      row[i] = (left + here + row[i + 1]) / 3;
      left = here;
    }
  }
}

static int rows_of(const job_t* job, int rank) {
  return rank < job->owners ? (job->tasks - rank + job->owners - 1) / job->owners : 0;
}

static void** everywhere(const job_t* job, size_t bytes) {
  int size;
  must(comex_group_size(job->group, &size), "elastic: group_size");
  void** addresses = malloc((size_t)size * sizeof *addresses);
  if (addresses == NULL) comex_error("elastic: out of memory", 1);
  must(comex_malloc(addresses, bytes, job->group), "elastic: malloc");
  return addresses;
}

static void give_back(const job_t* job, void** addresses, int me) {
  must(comex_free(addresses[me], job->group), "elastic: free");
  free(addresses);
}

/* The loop of workers and helpers alike. */
static int draw_and_work(const job_t* job) {
  static double row[row_numbers];
  double scale = 1;
  int done = 0;
  for (;;) {
    long task;
    must(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &task, job->counter[0], 1, 0, job->group), "elastic: rmw");
    if (task >= job->tasks) return done;
    int owner = (int)task % job->owners;
    size_t offset = (size_t)(task / job->owners) * row_bytes;
    must(comex_get((char*)job->input[owner] + offset, row, row_bytes, owner, job->group), "elastic: get");
    smooth(row);
    must(comex_acc(COMEX_ACC_DBL, &scale, row, (char*)job->result[owner] + offset, row_bytes, owner,
                   job->group),
         "elastic: acc");
    ++done;
  }
}

static int wrong_numbers(const job_t* job, int me) {
  static double row[row_numbers];
  int wrong = 0;
  const double* found = job->result[me];
  for (int task = me; task < job->tasks; task += job->owners, found += row_numbers) {
    for (int i = 0; i < row_numbers; ++i) row[i] = start_value(task, i);
    smooth(row);
    for (int i = 0; i < row_numbers; ++i) wrong += fabs(found[i] - row[i]) > 0;
  }
  return wrong;
}

/* Collective over workers and helpers; `me` is the rank in the merged group, where the workers come first. */
static int work_together(job_t* job, int me, int is_worker) {
  const size_t bytes = (size_t)rows_of(job, me) * row_bytes;
  job->input = everywhere(job, bytes);
  job->result = everywhere(job, bytes);
  job->counter = everywhere(job, me == 0 ? sizeof(long) : 0);
  if (is_worker && bytes != 0) {
    double* number = job->input[me];
    for (int task = me; task < job->tasks; task += job->owners) {
      for (int i = 0; i < row_numbers; ++i) *number++ = start_value(task, i);
    }
    memset(job->result[me], 0, bytes);
  }
  if (me == 0) *(long*)job->counter[0] = 0;
  must(comex_barrier(job->group), "elastic: barrier");

  int done = draw_and_work(job);
  must(comex_barrier(job->group), "elastic: barrier"); /* all that was accumulated is there */
  int wrong = is_worker ? wrong_numbers(job, me) : 0;
  printf("%s %d did %d of %d tasks%s\n", is_worker ? "worker" : "helper", is_worker ? me : me - job->owners,
         done, job->tasks,
         !is_worker   ? ""
         : wrong == 0 ? ", its part of the result is right"
                      : ", its part is WRONG");
  fflush(stdout);
  give_back(job, job->counter, me);
  give_back(job, job->result, me);
  give_back(job, job->input, me);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  must(comex_init(), "elastic: init"); /* progress ranks stay in here and serve the others */
  const char* processes = argc > 1 ? argv[1] : "3";
  job_t job = {.tasks = argc > 2 ? atoi(argv[2]) : 200};
  comex_group_t parent, others;
  must(comex_world_parent(&parent), "elastic: parent");
  const int is_worker = parent == COMEX_GROUP_NULL;
  if (is_worker) {
    char* arguments[] = {(char*)processes, argc > 2 ? argv[2] : NULL, NULL};
    must(comex_world_spawn(argv[0], arguments, atoi(processes), 0, COMEX_GROUP_WORLD, &others),
         "elastic: spawn");
    must(comex_group_size(others, &job.owners), "elastic: size");
  } else {
    others = parent;
    must(comex_group_remote_size(others, &job.owners), "elastic: remote_size");
  }
  must(comex_group_merge(others, !is_worker, &job.group), "elastic: merge");

  int me;
  must(comex_group_rank(job.group, &me), "elastic: rank");
  int wrong = work_together(&job, me, is_worker);
  must(comex_world_disconnect(&job.group), "elastic: disconnect");
  must(comex_world_disconnect(&others), "elastic: disconnect");
  comex_finalize();
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
