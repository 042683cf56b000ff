// Of the coverage preset: a process that ends without exit() writes first which lines it ran. The linker
// leads the calls of every library and program here (cmake/ComexWarnings.cmake).
void __gcov_dump(void);
void __real__exit(int status);
void __real__Exit(int status);
void __wrap__exit(int status);
void __wrap__Exit(int status);

void __wrap__exit(int status) {
  __gcov_dump();
  __real__exit(status);
}

void __wrap__Exit(int status) {
  __gcov_dump();
  __real__Exit(status);
}
