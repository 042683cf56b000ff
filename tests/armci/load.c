/* Loads a library while the program runs, as interpreters load what their modules are linked with. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc == 2 && dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) != NULL) return 0;
  fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: load LIBRARY");
  return 1;
}
