// Of the coverage preset: a process that ends without exit() writes first which lines it ran. The linker
// leads the calls of every library and program here (cmake/ComexWarnings.cmake).
//
// Each library has counts of its own, which only it can write, and hides its names. So the handler of a
// signal that nobody sends is the head of a list: each library's handler calls the one that was there before.
#include "keep_counts.h"

#include <signal.h>
#include <stddef.h>

void __gcov_dump(void);
void __real__exit(int status);
void __real__Exit(int status);
void __wrap__exit(int status);
void __wrap__Exit(int status);

// The linker asks for it, and so takes this file.
__attribute__((visibility("hidden"))) const int comex_keep_counts_of_each = 0;
static struct sigaction next;

static int end_signal(void) {
  return SIGRTMAX - 2;
}

static void write_counts(int signal) {
  __gcov_dump();
  if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) next.sa_handler(signal);
}

__attribute__((constructor)) static void join(void) {
  struct sigaction mine = {.sa_handler = write_counts};
  sigaction(end_signal(), &mine, &next);
}

void comex_keep_counts(void) {
  struct sigaction first;
  sigaction(end_signal(), NULL, &first);
  if (first.sa_handler != SIG_DFL && first.sa_handler != SIG_IGN) first.sa_handler(end_signal());
}

void __wrap__exit(int status) {
  comex_keep_counts();
  __real__exit(status);
}

void __wrap__Exit(int status) {
  comex_keep_counts();
  __real__Exit(status);
}
