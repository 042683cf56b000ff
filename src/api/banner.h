// What COMEX_VERBOSE prints at the start: hosts, roles, who serves whom, settings and their sources.
#pragma once

#include "api/runtime.h"

namespace comex::api {

void print_banner(Runtime& runtime);  // by worker 0, when verbose

}  // namespace comex::api
