// What the ARMCI façade and the checker of races, libraries of their own, share with the runtime beyond
// comex.h. It is exported.
#pragma once

#include <comex/comex.h>

// The parameters of a function without their brackets, for macros that define functions.
#define COMEX_LIST(...) __VA_ARGS__

extern "C" {
// The name by which the program made the calling thread's current call, for error lines; null: it is a call
// of comex.h. The façade sets it.
extern constinit thread_local const char* comex_call_name
    __attribute__((visibility("default"), tls_model("initial-exec")));

// comex_group_create, but it waits for late members as any collective does: COMEX_MEET_S is no limit.
__attribute__((visibility("default"))) int comex_group_create_without_limit(int n, int* pid_list,
                                                                            comex_group_t group,
                                                                            comex_group_t* new_group);
}

namespace comex::runtime {

// Waits of the façade, for a message of another worker or for a mutex of its own, and of the checker of races
// for members of a group. The runtime watches them like its own: comex_top shows them, and COMEX_STALL_S and
// COMEX_TIMEOUT_S hold for them.
struct MessageWaits {
  // The operation is "receive", "send", "lock" or "collective". `worker` has to send, to receive or to
  // unlock; -1: anybody. The wait belongs to the caller's thread. Null where there is no runtime.
  void* (*begin)(const char* operation, int worker);
  // Once a round. Ends the job where the wait lasts longer than its limit, and where the worker has died.
  void (*look)(void* wait);
  void (*end)(void* wait);
  // Makes progress as comex_progress does. Returns true if something moved.
  bool (*progress)();
};

// Sets the name for its lifetime. Nested calls keep the name of the outermost one.
class CallName {
 public:
  // function: __func__ of the function called; for PARMCI_Put, programs know the name ARMCI_Put
  explicit CallName(const char* function) : is_outermost_(comex_call_name == nullptr) {
    if (is_outermost_) comex_call_name = *function == 'P' || *function == 'p' ? function + 1 : function;
  }
  ~CallName() {
    if (is_outermost_) comex_call_name = nullptr;
  }
  CallName(const CallName&) = delete;
  CallName& operator=(const CallName&) = delete;

 private:
  bool is_outermost_;
};

// The mark that an ARMCI library of this runtime leaves in a program. Both flavours define the strong symbol.
// So two static libraries fail to link. If shared ones meet, all use the first definition; the other library
// writes its name there, and ARMCI_Init refuses. The banner shows which one is loaded.
struct FlavourMark {
  const char* name;
  const char* other;  // null, or the name of the second library
};

}  // namespace comex::runtime

extern "C" __attribute__((visibility("default"))) comex::runtime::FlavourMark comex_armci_flavour;
extern "C" __attribute__((visibility("default"))) const comex::runtime::MessageWaits comex_message_waits;
