// Puts and gets of single values. A put keeps the value, not where the argument lay.
#include "api/armci/export.h"
#include "api/armci/nonblocking.h"

using namespace comex::armci;

namespace {

template <class Value>
int put_value(Value value, void* dst, int proc) {
  before_operation_on(proc);
  return comex_put(&value, dst, sizeof value, proc, COMEX_GROUP_WORLD);
}

// A blocking put of a few bytes has taken them when it returns: nothing is left to wait for.
template <class Value>
int nb_put_value(Value value, void* dst, int proc, armci_hdl_t* handle) {
  const int code = handle == nullptr ? 0 : code_of(handle);
  if (code < 0 && state().aggregates.add_value(code, &value, sizeof value, dst, proc)) return 0;
  const int result = put_value(value, dst, proc);
  if (handle != nullptr && !state().aggregates.collects(code)) set_code(handle, 0);
  return result;
}

template <class Value>
Value get_value(void* src, int proc) {
  before_operation_on(proc);
  Value value{};
  comex_get(src, &value, sizeof value, proc, COMEX_GROUP_WORLD);
  return value;
}

}  // namespace

COMEX_C int PARMCI_PutValueInt(int src, void* dst, int proc) {
  return put_value(src, dst, proc);
}
COMEX_PROFILED(PutValueInt);
COMEX_C int PARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* handle) {
  return nb_put_value(src, dst, proc, handle);
}
COMEX_PROFILED(NbPutValueInt);
COMEX_C int PARMCI_GetValueInt(void* src, int proc) {
  return get_value<int>(src, proc);
}
COMEX_PROFILED(GetValueInt);

COMEX_C int PARMCI_PutValueLong(long src, void* dst, int proc) {
  return put_value(src, dst, proc);
}
COMEX_PROFILED(PutValueLong);
COMEX_C int PARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* handle) {
  return nb_put_value(src, dst, proc, handle);
}
COMEX_PROFILED(NbPutValueLong);
COMEX_C long PARMCI_GetValueLong(void* src, int proc) {
  return get_value<long>(src, proc);
}
COMEX_PROFILED(GetValueLong);

COMEX_C int PARMCI_PutValueFloat(float src, void* dst, int proc) {
  return put_value(src, dst, proc);
}
COMEX_PROFILED(PutValueFloat);
COMEX_C int PARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* handle) {
  return nb_put_value(src, dst, proc, handle);
}
COMEX_PROFILED(NbPutValueFloat);
COMEX_C float PARMCI_GetValueFloat(void* src, int proc) {
  return get_value<float>(src, proc);
}
COMEX_PROFILED(GetValueFloat);

COMEX_C int PARMCI_PutValueDouble(double src, void* dst, int proc) {
  return put_value(src, dst, proc);
}
COMEX_PROFILED(PutValueDouble);
COMEX_C int PARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* handle) {
  return nb_put_value(src, dst, proc, handle);
}
COMEX_PROFILED(NbPutValueDouble);
COMEX_C double PARMCI_GetValueDouble(void* src, int proc) {
  return get_value<double>(src, proc);
}
COMEX_PROFILED(GetValueDouble);
