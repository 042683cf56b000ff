// By which name the program made the call that the calling thread is in, where that is not comex.h's.
//
// Set by the ARMCI façade, which is a library of its own: so the variable is exported. Lines about errors of
// the call carry it. Used by the façade, report and runtime.
#pragma once

extern "C" {
extern constinit thread_local const char* comex_call_name
    __attribute__((visibility("default"), tls_model("initial-exec")));  // null: comex.h's own
}

namespace comex::runtime {

// As long as one is there; calls within calls keep the name of the outermost.
class CallName {
 public:
  // function: __func__ of the one that is called; of PARMCI_Put it is ARMCI_Put that programs know.
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
