/* Programs of wrong calls, each of which ends the job with one line: `list` tells the number and the name
   that the line has of each, and a number makes one. `refusals` looks at the lines. */
#ifndef COMEX_TESTS_ARMCI_REFUSED_ARGUMENTS_H
#define COMEX_TESTS_ARMCI_REFUSED_ARGUMENTS_H

#include <armci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct refused_call {
  const char* name;
  void (*make)(void);
};

/* Status 3: the call was not refused. */
static int make_refused(int argc, char** argv, const struct refused_call* calls, int count) {
  if (argc != 2) return 2;
  if (strcmp(argv[1], "list") == 0) {
    for (int i = 0; i < count; ++i) printf("%d %s\n", i, calls[i].name);
    return 0;
  }
  const int which = atoi(argv[1]);
  if (which < 0 || which >= count) return 2;
  ARMCI_Init_args(&argc, &argv);
  calls[which].make();
  return 3;
}

#endif
