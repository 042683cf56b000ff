// The name by which the program made the calling thread's current call, if it is not one of comex.h.
//
// The ARMCI façade sets it. That is a library of its own, so the variable is exported. Error lines of the
// call show the name. Used by the façade, report and runtime.
#pragma once

extern "C" {
extern constinit thread_local const char* comex_call_name
    __attribute__((visibility("default"), tls_model("initial-exec")));  // null: a call of comex.h
}

namespace comex::runtime {

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

}  // namespace comex::runtime
