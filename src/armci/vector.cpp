// Vector put, get and accumulate.
#include <array>
#include <span>
#include <vector>

#include "armci/codes.h"
#include "armci/export.h"
#include "armci/nonblocking.h"

using namespace comex::armci;

namespace {

// The descriptors as comex.h wants them; few need no heap.
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

// Calls visit(piece) for each pair until one yields false; false then, or if there is no way to go through.
template <class Visit>
bool visit_pairs(Piece piece, const armci_giov_t* iov, int len, const Visit& visit) {
  if (len < 0 || (len > 0 && iov == nullptr)) return false;
  for (const armci_giov_t& pairs : std::span(iov, static_cast<std::size_t>(len))) {
    const int count = pairs.ptr_array_len;
    const bool has_arrays = pairs.src_ptr_array != nullptr && pairs.dst_ptr_array != nullptr;
    if (count < 0 || pairs.bytes < 0 || (count > 0 && !has_arrays)) return false;
    piece.bytes = pairs.bytes;
    for (int pair = 0; pair < count; ++pair) {
      piece.src = pairs.src_ptr_array[pair];
      piece.dst = pairs.dst_ptr_array[pair];
      if (!visit(piece)) return false;
    }
  }
  return true;
}

// True if an aggregate handle took all pairs; else it took none.
bool aggregated_vector(armci_hdl_t* handle, const Piece& piece, const armci_giov_t* iov, int len) {
  if (handle == nullptr || code_of(handle) >= 0 || !state().aggregates.collects(code_of(handle)))
    return false;
  return visit_pairs(piece, iov, len, Aggregates::can_hold) &&
         visit_pairs(piece, iov, len,
                     [&](const Piece& each) { return state().aggregates.add(code_of(handle), each); });
}

}  // namespace

COMEX_C int PARMCI_PutV(armci_giov_t* iov, int len, int proc) {
  const comex::runtime::CallName called(__func__);
  before_operation_on(proc);
  return comex_putv(Descriptors(iov, len).data(), len, proc, COMEX_GROUP_WORLD);
}
COMEX_PROFILED(PutV);

COMEX_C int PARMCI_GetV(armci_giov_t* iov, int len, int proc) {
  const comex::runtime::CallName called(__func__);
  before_operation_on(proc);
  return comex_getv(Descriptors(iov, len).data(), len, proc, COMEX_GROUP_WORLD);
}
COMEX_PROFILED(GetV);

COMEX_C int PARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int len, int proc) {
  const comex::runtime::CallName called(__func__);
  before_operation_on(proc);
  return comex_accv(acc_code(datatype), scale, Descriptors(iov, len).data(), len, proc, COMEX_GROUP_WORLD);
}
COMEX_PROFILED(AccV);

COMEX_C int PARMCI_NbPutV(armci_giov_t* iov, int len, int proc, armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  if (aggregated_vector(handle, {.verb = Verb::put, .proc = proc}, iov, len)) return 0;
  return start_nonblocking(handle, proc, [&](comex_request_t* request) {
    return comex_nbputv(Descriptors(iov, len).data(), len, proc, COMEX_GROUP_WORLD, request);
  });
}
COMEX_PROFILED(NbPutV);

COMEX_C int PARMCI_NbGetV(armci_giov_t* iov, int len, int proc, armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  if (aggregated_vector(handle, {.verb = Verb::get, .proc = proc}, iov, len)) return 0;
  return start_nonblocking(handle, proc, [&](comex_request_t* request) {
    return comex_nbgetv(Descriptors(iov, len).data(), len, proc, COMEX_GROUP_WORLD, request);
  });
}
COMEX_PROFILED(NbGetV);

COMEX_C int PARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int len, int proc,
                          armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  const int code = acc_code(datatype);
  if (aggregated_vector(handle, {.verb = Verb::acc, .proc = proc, .acc_code = code, .scale = scale}, iov,
                        len)) {
    return 0;
  }
  return start_nonblocking(handle, proc, [&](comex_request_t* request) {
    return comex_nbaccv(code, scale, Descriptors(iov, len).data(), len, proc, COMEX_GROUP_WORLD, request);
  });
}
COMEX_PROFILED(NbAccV);
