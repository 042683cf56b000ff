// For which endpoint the calling thread asks.
//
// A thread drives an endpoint by operations and collectives through its handle. Calls that name no group are
// made by the endpoint that the thread has driven last, as long as that one has a handle; by the process
// itself otherwise. Lines about errors name the endpoint. A process that makes no endpoints never comes here.
// One for each thread; `run` tells what an earlier init has left. Used by call.h, mutex_calls, report and
// runtime.
#pragma once

#include <cstdint>

#include "core/ids.h"

namespace comex::api {

// A call through a group begins; without an endpoint: one of the process itself.
void begin_call(std::uint32_t run, Requester by);
// A call begins that names no group: by the endpoint driven last.
Requester begin_unnamed_call(std::uint32_t run);
// Whose the call under way is.
Requester caller(std::uint32_t run);
// The last handle of an endpoint is gone.
void stop_driving(std::uint32_t run, std::uint32_t endpoint);

}  // namespace comex::api
