// For which endpoint the calling thread asks, and by which call.
//
// A thread drives an endpoint by operations and collectives through its handle. Calls that name no group are
// made by the endpoint that the thread has driven last, as long as that one has a handle; by the process
// itself otherwise. Lines about errors name the endpoint. A process that makes no endpoints never comes here.
// One for each thread; `run` tells what an earlier init has left. Used by call.h, mutex_calls, report and
// runtime.
#pragma once

#include <cstdint>

#include "core/ids.h"

namespace comex::runtime {

class Runtime;

// A call through a group begins; without an endpoint: one of the process itself.
void begin_call(std::uint32_t run, Requester by);
// A call begins that names no group: by the endpoint driven last, as long as it has a handle.
Requester begin_unnamed_call(const Runtime& runtime);
// Whose the call under way is.
Requester caller(std::uint32_t run);
// The calling thread has freed the last handle of an endpoint; others find out in their next unnamed call.
void stop_driving(std::uint32_t run, std::uint32_t endpoint);

// The collective call of the program that the calling thread is in: what a wait inside it is said to be for.
struct ProgramCall {
  const char* name = nullptr;  // null: none
  int group = 0;
};
ProgramCall program_call();

// As long as one is there; calls within calls keep the name of the outermost.
class CallScope {
 public:
  CallScope(const char* name, int group);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  bool is_outermost_;
};

}  // namespace comex::runtime
