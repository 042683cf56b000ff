#include "runtime/caller.h"

#include "runtime/runtime.h"

namespace comex::runtime {
namespace {

struct Thread {
  std::uint32_t run = 0;
  Requester driven;
  Requester now;
  std::uint32_t gone = 0;  // endpoints without a handle when `driven` was last checked
};

Thread& thread_of(std::uint32_t run) {
  thread_local Thread self;
  if (self.run != run) self = {run, {}, {}, 0};
  return self;
}

ProgramCall& call_of_thread() {
  thread_local ProgramCall call;
  return call;
}

}  // namespace

ProgramCall program_call() {
  return call_of_thread();
}

CallScope::CallScope(const char* name, int group) : is_outermost_(call_of_thread().name == nullptr) {
  if (is_outermost_) call_of_thread() = {name, group};
}

CallScope::~CallScope() {
  if (is_outermost_) call_of_thread() = {};
}

void begin_call(std::uint32_t run, Requester by) {
  Thread& self = thread_of(run);
  self.now = by;
  if (by) self.driven = by;
}

Requester begin_unnamed_call(const Runtime& runtime) {
  Thread& self = thread_of(runtime.reporter().run());
  const std::uint32_t gone = runtime.endpoints_gone();
  if (self.gone != gone && self.driven && !runtime.has_handle(self.driven.endpoint)) self.driven = {};
  self.gone = gone;
  return self.now = self.driven;
}

Requester caller(std::uint32_t run) {
  return thread_of(run).now;
}

void stop_driving(std::uint32_t run, std::uint32_t endpoint) {
  Thread& self = thread_of(run);
  self.now = {};
  if (self.driven.endpoint == endpoint) self.driven = {};
}

}  // namespace comex::runtime
