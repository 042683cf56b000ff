// The calls for puts and gets of single values. A put keeps the value itself, not its argument's address.
#include "armci/export.h"
#include "armci/nonblocking.h"

using namespace comex::armci;

namespace {

template <class Value>
int put_value(Value value, void* dst, int proc) {
  return comex_put(&value, dst, sizeof value, proc, COMEX_GROUP_WORLD);
}

// It waits at once, because the value is on this stack frame, and small puts leave together anyway.
template <class Value>
int nb_put_value(Value value, void* dst, int proc, armci_hdl_t* handle) {
  comex_request_t request = 0;
  int result = comex_nbput(&value, dst, sizeof value, proc, COMEX_GROUP_WORLD, &request);
  if (result == COMEX_SUCCESS) result = comex_wait(&request);
  if (handle != nullptr && !state().aggregates.collects(code_of(handle))) set_code(handle, 0);
  return result;
}

template <class Value>
Value get_value(void* src, int proc) {
  Value value{};
  end_at_death(comex_get(src, &value, sizeof value, proc, COMEX_GROUP_WORLD));
  return value;
}

}  // namespace

// Defines the functions for one type of value.
#define COMEX_VALUE(Name, Value)                                                             \
  COMEX_PROFILED(PutValue##Name) int PARMCI_PutValue##Name(Value src, void* dst, int proc) { \
    return put_value(src, dst, proc);                                                        \
  }                                                                                          \
  COMEX_PROFILED(NbPutValue##Name)                                                           \
  int PARMCI_NbPutValue##Name(Value src, void* dst, int proc, armci_hdl_t* handle) {         \
    return nb_put_value(src, dst, proc, handle);                                             \
  }                                                                                          \
  COMEX_PROFILED(GetValue##Name) Value PARMCI_GetValue##Name(void* src, int proc) {          \
    return get_value<Value>(src, proc);                                                      \
  }

COMEX_VALUE(Int, int)
COMEX_VALUE(Long, long)
COMEX_VALUE(Float, float)
COMEX_VALUE(Double, double)
