/* The short spelling of <comex/comex.h>. */
#include "comex/comex.h"
