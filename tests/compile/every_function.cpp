// The same text as C++20.
#include "every_function.c"
