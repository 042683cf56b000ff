/* The short spelling of <comex/parmci.h>. */
#include "comex/parmci.h"
