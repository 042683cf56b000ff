// The calls that move data: put, get and accumulate in all their forms, single values, data with a flag, and
// read-modify-write; and those that pack and unpack local strided patches.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "armci/state.h"

using namespace comex::armci;

namespace {

// A code of comex.h that the interface does not have becomes -1, which is refused.
int unknown_code(int code, int first, int last) {
  return code >= first && code <= last ? -1 : code;
}

int rmw_code(int op) {
  switch (op) {
    case ARMCI_SWAP:
      return COMEX_SWAP;
    case ARMCI_SWAP_LONG:
      return COMEX_SWAP_LONG;
    case ARMCI_FETCH_AND_ADD:
      return COMEX_FETCH_AND_ADD;
    case ARMCI_FETCH_AND_ADD_LONG:
      return COMEX_FETCH_AND_ADD_LONG;
    default:
      return unknown_code(op, COMEX_SWAP, COMEX_FETCH_AND_XOR_LONG);
  }
}

int acc_code(int datatype) {
  switch (datatype) {
    case ARMCI_ACC_INT:
      return COMEX_ACC_INT;
    case ARMCI_ACC_LNG:
      return COMEX_ACC_LNG;
    case ARMCI_ACC_FLT:
      return COMEX_ACC_FLT;
    case ARMCI_ACC_DBL:
      return COMEX_ACC_DBL;
    case ARMCI_ACC_CPL:
      return COMEX_ACC_CPL;
    case ARMCI_ACC_DCP:
      return COMEX_ACC_DCP;
    default:
      return unknown_code(datatype, COMEX_ACC_INT, COMEX_ACC_LNG);
  }
}

// `start` takes a comex_request_t* (null: implicit) and returns a result of comex.h.
template <class Start>
int start_nonblocking(armci_hdl_t* handle, const Start& start) {
  if (handle == nullptr) return start(nullptr);
  comex_request_t request = 0;
  const int result = start(&request);
  if (result != COMEX_SUCCESS) return result;
  if (state().aggregates.collects(code_of(handle))) return state().aggregates.attach(handle, request);
  set_code(handle, request);
  return COMEX_SUCCESS;
}

// The descriptors in the form of comex.h. A few of them need no heap memory.
class Descriptors {
 public:
  Descriptors(const armci_giov_t* iov, int len) {
    if (iov == nullptr) return;  // comex.h refuses it
    const auto count = len < 0 ? std::size_t{0} : static_cast<std::size_t>(len);
    if (count > few_.size()) many_.resize(count);
    data_ = count > few_.size() ? many_.data() : few_.data();
    for (std::size_t i = 0; i < count; ++i) {
      data_[i] = {iov[i].src_ptr_array, iov[i].dst_ptr_array, iov[i].ptr_array_len, iov[i].bytes};
    }
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;
  comex_giov_t* data() { return data_; }

 private:
  std::array<comex_giov_t, 8> few_;
  std::vector<comex_giov_t> many_;
  comex_giov_t* data_ = nullptr;
};

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

// A read by rmw: the flag's owner says whether the flag exists.
int look_at_flag(int* flag, int proc) {
  int now = 0;
  return comex_rmw(COMEX_FETCH_AND_ADD, &now, flag, 0, proc, COMEX_GROUP_WORLD);
}

// A server may refuse the data after the put has returned. Then the fence fails, and the flag is not set.
// The failure may belong to an earlier put, so the data is put again to find out.
template <class Put>
int put_and_raise(const Put& put, int* flag, int value, int proc) {
  if (const int looked = look_at_flag(flag, proc); looked != COMEX_SUCCESS) return looked;
  if (const int result = put(); result != COMEX_SUCCESS) return result;
  const int told = comex_fence_proc(proc, COMEX_GROUP_WORLD);
  if (told != COMEX_SUCCESS) {
    if (const int result = put(); result != COMEX_SUCCESS) return result;
    if (const int result = comex_fence_proc(proc, COMEX_GROUP_WORLD); result != COMEX_SUCCESS) return result;
  }
  const int raised = comex_rmw(COMEX_SWAP, &value, flag, 0, proc, COMEX_GROUP_WORLD);
  return told != COMEX_SUCCESS ? told : raised;
}

// Returns the number of runs; 0 if a count is 0. Invalid levels or counts end the job.
long count_runs(const int* count, int stride_levels) {
  pass();
  bool is_sound = stride_levels >= 0 && stride_levels <= COMEX_MAX_STRIDE_LEVEL;
  const std::span counts(count, is_sound ? static_cast<std::size_t>(stride_levels) + 1 : 0);
  is_sound = is_sound && std::ranges::min(counts) >= 0;
  if (is_sound && std::ranges::min(counts) == 0) return 0;
  long runs = 1;
  for (int level = 1; is_sound && level <= stride_levels; ++level)
    is_sound = !__builtin_mul_overflow(runs, count[level], &runs);
  if (!is_sound)
    comex_error("a strided patch has a negative count, too many runs, or stride levels outside 0 to 8", 1);
  return runs;
}

// Calls visit(run) with the address of each contiguous run; the first level changes fastest.
template <class Visit>
void visit_runs(void* first, int stride_levels, const int* stride, const int* count, const Visit& visit) {
  std::array<int, COMEX_MAX_STRIDE_LEVEL> at{};
  for (long runs = count_runs(count, stride_levels); runs != 0; --runs) {
    std::ptrdiff_t offset = 0;
    for (std::size_t level = 0; level < static_cast<std::size_t>(stride_levels); ++level)
      offset += std::ptrdiff_t{at[level]} * stride[level];
    visit(static_cast<char*>(first) + offset);
    for (std::size_t level = 0; level < static_cast<std::size_t>(stride_levels); ++level) {
      if (++at[level] < count[level + 1]) break;
      at[level] = 0;
    }
  }
}

}  // namespace

// Defines PARMCI_NAME by comex_CALL, and PARMCI_NbNAME, which takes a handle after the same parameters, by
// comex_nbCALL. Both begin with `first`; that is nothing where a CallName would cost too much
// (armci/state.h).
#define COMEX_ARMCI_PAIR_AFTER(first, name, call, parameters, ...)                           \
  COMEX_PROFILED(name) int PARMCI_##name(COMEX_LIST parameters) {                            \
    first;                                                                                   \
    return comex_##call(__VA_ARGS__, COMEX_GROUP_WORLD);                                     \
  }                                                                                          \
  COMEX_PROFILED(Nb##name) int PARMCI_Nb##name(COMEX_LIST parameters, armci_hdl_t* handle) { \
    first;                                                                                   \
    return start_nonblocking(handle, [&](comex_request_t* request) {                         \
      return comex_nb##call(__VA_ARGS__, COMEX_GROUP_WORLD, request);                        \
    });                                                                                      \
  }
#define COMEX_ARMCI_PAIR(...) \
  COMEX_ARMCI_PAIR_AFTER(const comex::runtime::CallName called(__func__), __VA_ARGS__)

COMEX_ARMCI_PAIR_AFTER(, Put, put, (void* src, void* dst, int bytes, int proc), src, dst, bytes, proc)

COMEX_ARMCI_PAIR_AFTER(, Get, get, (void* src, void* dst, int bytes, int proc), src, dst, bytes, proc)

COMEX_ARMCI_PAIR_AFTER(, Acc, acc, (int datatype, void* scale, void* src, void* dst, int bytes, int proc),
                       acc_code(datatype), scale, src, dst, bytes, proc)

COMEX_ARMCI_PAIR(PutS, puts,
                 (void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                  int proc),
                 src, src_stride, dst, dst_stride, count, stride_levels, proc)

COMEX_ARMCI_PAIR(GetS, gets,
                 (void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                  int proc),
                 src, src_stride, dst, dst_stride, count, stride_levels, proc)

COMEX_ARMCI_PAIR(AccS, accs,
                 (int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                  int count[], int stride_levels, int proc),
                 acc_code(datatype), scale, src, src_stride, dst, dst_stride, count, stride_levels, proc)

COMEX_ARMCI_PAIR(PutV, putv, (armci_giov_t * iov, int len, int proc), Descriptors(iov, len).data(), len, proc)

COMEX_ARMCI_PAIR(GetV, getv, (armci_giov_t * iov, int len, int proc), Descriptors(iov, len).data(), len, proc)

COMEX_ARMCI_PAIR(AccV, accv, (int datatype, void* scale, armci_giov_t* iov, int len, int proc),
                 acc_code(datatype), scale, Descriptors(iov, len).data(), len, proc)

// Defines the functions for one type of value. A put keeps the value itself, not its argument's address.
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

// Data, then a flag, which a waiting process sees last. If the data is refused, the flag is not set; if the
// flag is refused, no data is written.
COMEX_PROFILED(Put_flag)
int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc) {
  const comex::runtime::CallName called(__func__);
  const auto put = [&] { return comex_put(src, dst, bytes, proc, COMEX_GROUP_WORLD); };
  return put_and_raise(put, flag, value, proc);
}

COMEX_PROFILED(PutS_flag)
int PARMCI_PutS_flag(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                     int* flag, int value, int proc) {
  const comex::runtime::CallName called(__func__);
  const auto put = [&] {
    return comex_puts(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD);
  };
  return put_and_raise(put, flag, value, proc);
}

COMEX_PROFILED(Rmw) int PARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc) {
  return comex_rmw(rmw_code(op), ploc, prem, value, proc, COMEX_GROUP_WORLD);
}

COMEX_C void armci_write_strided(void* ptr, int stride_levels, int stride[], int count[], char* buf) {
  const comex::runtime::CallName called(__func__);
  visit_runs(ptr, stride_levels, stride, count, [&](const char* run) {
    std::memcpy(buf, run, static_cast<std::size_t>(count[0]));
    buf += count[0];
  });
}

COMEX_C void armci_read_strided(void* ptr, int stride_levels, int stride[], int count[], char* buf) {
  const comex::runtime::CallName called(__func__);
  visit_runs(ptr, stride_levels, stride, count, [&](char* run) {
    std::memcpy(run, buf, static_cast<std::size_t>(count[0]));
    buf += count[0];
  });
}
