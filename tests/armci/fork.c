/* A forked child has no runtime: what starts and ends ARMCI is refused there, with a line that ends the child
 * only, and touches nothing of the parent's, MPI least of all. Then all of it after ARMCI_Finalize. */
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef ARMCI_MPI
static void init_at_a_level(void) {
  ARMCI_Init_thread(MPI_THREAD_SINGLE);
}
#endif
static void init(void) {
  ARMCI_Init();
}
static void finalize(void) {
  ARMCI_Finalize();
}

static const struct {
  const char* name;
  void (*call)(void);
} calls[] = {
    {"ARMCI_Init", init},
    {"ARMCI_Finalize", finalize},
#ifdef ARMCI_MPI
    {"ARMCI_Init_thread", init_at_a_level},
#else
    {"armci_msg_finalize", armci_msg_finalize},
#endif
};

/* What the child has said, all of it; gives the status it ended with. */
static int child_of(void (*call)(void), char* said, size_t room) {
  int ends[2], status = 0;
  size_t length = 0;
  ssize_t more = 0;
  if (pipe(ends) != 0) return -1;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    alarm(10);
    call();
    _exit(0);
  }
  close(ends[1]);
  while (length + 1 < room && (more = read(ends[0], said + length, room - 1 - length)) > 0)
    length += (size_t)more;
  said[length] = 0;
  close(ends[0]);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int refusals(void) {
  int bad = 0;
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    char said[4096], wanted[100];
    const int status = child_of(calls[i].call, said, sizeof said);
    snprintf(wanted, sizeof wanted, ": %s: called in a forked child", calls[i].name);
    if (status == 1 && strstr(said, wanted) != NULL) continue;
    fprintf(stderr, "%s in a child: status %d, and it said '%s'\n", calls[i].name, status, said);
    ++bad;
  }
  return bad;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  int bad = refusals();
  int sum = 1;
  char plus[] = "+";
  armci_msg_igop(&sum, 1, plus);
  bad += sum != armci_msg_nproc();
  ARMCI_Finalize();
  bad += refusals();
  MPI_Finalize();
  return bad;
}
