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

  // What it waits for.
  std::string operator()() const {
    const std::string who = worker_ < 0 ? "any worker" : "worker " + std::to_string(worker_);
    const std::string_view operation = operation_;
    if (operation == "receive") return "a message of " + who;
    if (operation == "collective") {
      return "the other members of a group, which have not come to this collective call, or to another one "
             "first";
    }
    return who + (operation == "send" ? " to receive a message" : " to unlock a mutex");
  }

 private:
  Runtime& runtime_;
  const char* operation_;
  int worker_;
  op::FunctionRef<std::string()> awaited_{*this};
  op::StallWatch watch_;
};

void* begin(const char* operation, int worker) {
  Runtime* const runtime = pass();
  return runtime == nullptr ? nullptr : new MessageWait(*runtime, operation, worker);
}

void look(void* wait) {
  if (wait != nullptr) static_cast<MessageWait*>(wait)->look();
}

void end(void* wait) {
  delete static_cast<MessageWait*>(wait);
}

bool progress() {
  Runtime* const runtime = detail::current();
  return runtime != nullptr && runtime->progress();
}

}  // namespace
}  // namespace comex::runtime

constinit const comex::runtime::MessageWaits comex_message_waits = {
    comex::runtime::begin, comex::runtime::look, comex::runtime::end, comex::runtime::progress};
