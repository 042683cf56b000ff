/* The short spelling of <comex/iterator.h>. */
#include "comex/iterator.h"
