/*
 * comex_worlds: what `mpirun -n N comex_info --worlds` runs. Two worlds meet, and every worker prints who it
 * knows.
 *
 * The first world spawns a second one of this program; both then print, worker by worker, host, MPI ranks,
 * lpid table and the connections that are alive. Hosts and roles of each world come from the library
 * (COMEX_VERBOSE, which comex_info sets and spawned worlds are given).
 */
#include <comex/worlds.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: comex_worlds [PROCESSES]\n"
    "Two worlds meet, and every worker prints whom it knows. Started by \"mpirun -n N comex_info "
    "--worlds\".\n\n"
    "  PROCESSES  how many the first world spawns (2)\n"
    "  --help     this text\n";

static void must(int code, const char* what) {
  if (code != COMEX_SUCCESS) comex_error(what, 1);
}

static void print_process(int lpid, int me) {
  comex_gpid_t gpid;
  comex_process_ranks_t ranks;
  int references;
  must(comex_lpid_to_gpid(lpid, &gpid), "comex_worlds: lpid_to_gpid");
  must(comex_process_ranks(lpid, &ranks), "comex_worlds: process_ranks");
  must(comex_connection_references(gpid, &references), "comex_worlds: connection_references");
  printf("  lpid %d: process (%u,%u), MPI rank %d, local rank %d, %s%d reference%s%s\n", lpid, gpid.world,
         gpid.rank, ranks.vpid, ranks.local_rank, references == 0 ? "no connection, " : "connected, ",
         references, references == 1 ? "" : "s", lpid == me ? " (this worker)" : "");
}

static void print_worker(int me) {
  comex_gpid_t self;
  int host, count, references;
  must(comex_gpid(COMEX_GROUP_WORLD, me, &self), "comex_worlds: gpid");
  must(comex_host_of(me, COMEX_GROUP_WORLD, &host), "comex_worlds: host_of");
  must(comex_lpid_count(&count), "comex_worlds: lpid_count");
  must(comex_world_references(self.world, &references), "comex_worlds: world_references");
  printf("world %u, worker %d on host %d: knows %d processes, %d of its own world connected\n", self.world,
         me, host, count, references);
  for (int lpid = 0; lpid < count; ++lpid) print_process(lpid, me);
  fflush(stdout);
}

/* 0 where the text is no number of processes. */
static int processes_of(const char* text) {
  char* end;
  const long number = strtol(text, &end, 10);
  return *end == '\0' && number >= 1 && number <= INT_MAX ? (int)number : 0;
}

int main(int argc, char** argv) {
  static char lines[1 << 14];
  if (argc > 1 && strcmp(argv[1], "--help") == 0) return fputs(usage, stdout) < 0;
  const int processes = argc > 1 ? processes_of(argv[1]) : 2;
  if (argc > 2 || processes == 0) {
    fprintf(stderr, "comex_worlds: expected one number of processes, at least 1, and not \"%s\"\n",
            argv[argc - 1]);
    return 2;
  }
  /* the lines of a worker leave together, because the launcher mixes those of processes */
  setvbuf(stdout, lines, _IOFBF, sizeof lines);
  MPI_Init(&argc, &argv);
  must(comex_init(), "comex_worlds: init");
  comex_group_t others, all;
  must(comex_world_parent(&others), "comex_worlds: parent");
  const int is_first = others == COMEX_GROUP_NULL;
  if (is_first) {
    must(comex_world_spawn(argv[0], NULL, processes, 0, COMEX_GROUP_WORLD, &others), "comex_worlds: spawn");
  }
  must(comex_group_merge(others, !is_first, &all), "comex_worlds: merge");
  int me, rank, size;
  must(comex_group_rank(COMEX_GROUP_WORLD, &me), "comex_worlds: rank");
  must(comex_group_rank(all, &rank), "comex_worlds: rank");
  must(comex_group_size(all, &size), "comex_worlds: size");
  for (int turn = 0; turn < size; ++turn) {
    if (turn == rank) print_worker(me);
    must(comex_barrier(all), "comex_worlds: barrier");
  }
  must(comex_world_disconnect(&all), "comex_worlds: disconnect");
  must(comex_world_disconnect(&others), "comex_worlds: disconnect");
  comex_finalize();
  MPI_Finalize();
  return 0;
}
