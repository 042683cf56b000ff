/* The short spelling of <comex/armci.h>. */
#include "comex/armci.h"
