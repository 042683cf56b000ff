// The same text as C++20.
#include "worlds.c"
