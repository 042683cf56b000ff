/* The short spelling of <comex/message.h>. */
#include "comex/message.h"
