// The endpoint for which the calling thread acts, and the collective call it is in.
//
// A thread drives an endpoint by operations and collectives through the endpoint's handle. A call that names
// no group acts for the endpoint that the thread drove last, while that endpoint has a handle; otherwise it
// acts for the process itself. Error lines name the endpoint. The state is per thread; `run` detects state
// from an earlier init. A process without endpoints never uses this. Used by call.h, mutex_calls, report and
// runtime.
#pragma once

#include <cstdint>

#include "core/ids.h"

namespace comex::runtime {

class Runtime;

// Begins a call through a group. Without an endpoint, the process itself makes the call.
void begin_call(std::uint32_t run, Requester by);
// Begins a call that names no group, for the endpoint driven last, while that has a handle.
Requester begin_unnamed_call(const Runtime& runtime);
// The party of the current call.
Requester caller(std::uint32_t run);
// The calling thread has freed the last handle of an endpoint. Other threads notice at their next such call.
void stop_driving(std::uint32_t run, std::uint32_t endpoint);

// The program's collective call that the calling thread is in. A wait inside it is reported under this name.
struct ProgramCall {
  const char* name = nullptr;  // null: none
  int group = 0;
};
ProgramCall program_call();

// Sets the call for its lifetime. Nested calls keep the name of the outermost one.
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
