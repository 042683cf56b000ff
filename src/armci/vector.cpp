// The calls for vector put, get and accumulate.
#include <array>
#include <vector>

#include "armci/codes.h"
#include "armci/nonblocking.h"

using namespace comex::armci;

namespace {

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

}  // namespace

COMEX_ARMCI_PAIR(PutV, putv, (armci_giov_t * iov, int len, int proc), Descriptors(iov, len).data(), len, proc)

COMEX_ARMCI_PAIR(GetV, getv, (armci_giov_t * iov, int len, int proc), Descriptors(iov, len).data(), len, proc)

COMEX_ARMCI_PAIR(AccV, accv, (int datatype, void* scale, armci_giov_t* iov, int len, int proc),
                 acc_code(datatype), scale, Descriptors(iov, len).data(), len, proc)
