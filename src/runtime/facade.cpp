#include "runtime/facade.h"

#include <string>
#include <string_view>

#include "runtime/process.h"
#include "runtime/runtime.h"

constinit thread_local const char* comex_call_name = nullptr;

namespace comex::runtime {
namespace {

class MessageWait {
 public:
  MessageWait(Runtime& runtime, const char* operation, int worker)
      : runtime_(runtime),
        operation_(operation),
        worker_(worker),
        watch_(runtime.engine().watch({.operation = operation, .target = worker, .awaited = &awaited_})) {
    watch_.set_slow(true);
  }
  MessageWait(const MessageWait&) = delete;
  MessageWait& operator=(const MessageWait&) = delete;

  void look() {
    watch_.look();
    const bool is_dead = worker_ >= 0 && runtime_.world().failures.of(static_cast<Worker>(worker_)) !=
                                             groups::WorkerState::alive;
    if (is_dead)
      runtime_.reporter().fatal({.operation = operation_, .target = Target(worker_)}, "that worker has died");
  }

 private:
  std::string what() const {
    const std::string who = worker_ < 0 ? "any worker" : "worker " + std::to_string(worker_);
    const std::string_view operation = operation_;
    if (operation == "receive") return "a message of " + who;
    return who + (operation == "send" ? " to receive a message" : " to unlock a mutex");
  }

  struct Awaited {
    const MessageWait* wait;
    std::string operator()() const { return wait->what(); }
  };

  Runtime& runtime_;
  const char* operation_;
  int worker_;
  Awaited say_{this};
  op::FunctionRef<std::string()> awaited_{say_};
  op::StallWatch watch_;
};

}  // namespace
}  // namespace comex::runtime

using namespace comex;

void* comex_begin_message_wait(const char* operation, int worker) {
  runtime::Runtime* const runtime = runtime::pass();
  return runtime == nullptr ? nullptr : new runtime::MessageWait(*runtime, operation, worker);
}

void comex_look_at_message_wait(void* wait) {
  if (wait != nullptr) static_cast<runtime::MessageWait*>(wait)->look();
}

void comex_end_message_wait(void* wait) {
  delete static_cast<runtime::MessageWait*>(wait);
}
