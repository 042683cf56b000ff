// The same as C++20.
#include "prototypes_packaged.c"
