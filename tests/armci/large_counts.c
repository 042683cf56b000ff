/* Collectives of more than 2 GiB: long messages, whose sizes do not fit into an int. Nearly all of the buffer
 * is one piece of memory over and over, so that it costs nothing; its end is memory of its own, whose numbers
 * are checked. */
#define _GNU_SOURCE
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { window = 1 << 23, windows = 257, tail = 1 << 16 };

static char* buffer_of_windows(size_t bytes) {
  const int file = memfd_create("window", 0);
  char* const at =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (file < 0 || ftruncate(file, window) != 0 || at == MAP_FAILED) return NULL;
  for (size_t i = 0; i < windows; ++i) {
    if (mmap(at + i * window, window, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
      return NULL;
  }
  return at;
}

int main(int argc, char** argv) {
  const size_t bytes = (size_t)window * windows + tail;
  const int longs = (int)(bytes / sizeof(long)), of_tail = tail / (int)sizeof(long);
  char plus[] = "+";
  long wrong = 0;
  ARMCI_Init_args(&argc, &argv);
  const int me = armci_msg_me(), nproc = armci_msg_nproc();
  char* const buffer = buffer_of_windows(bytes);
  if (buffer == NULL) ARMCI_Error("no memory for the windows", 1);
  long* const end = (long*)(buffer + bytes - tail);
  for (int i = 0; i < of_tail; ++i) end[i] = (me + 1) * (i + 1L);
  armci_msg_lgop((long*)buffer, longs, plus);
  for (int i = 0; i < of_tail; ++i) wrong += end[i] != nproc * (nproc + 1) / 2 * (i + 1L);

  for (int i = 0; i < of_tail; ++i) end[i] = (me + 1) * (i + 2L);
  armci_msg_reduce(buffer, longs, plus, ARMCI_LONG);
  for (int i = 0; i < of_tail; ++i) {
    wrong += end[i] != (me == 0 ? nproc * (nproc + 1) / 2 : me + 1) * (i + 2L);
  }
  armci_msg_lgop(&wrong, 1, plus);
  if (me == 0) printf("%d longs, %ld wrong\n", longs, wrong);
  ARMCI_Finalize();
  MPI_Finalize();
  return wrong != 0;
}
