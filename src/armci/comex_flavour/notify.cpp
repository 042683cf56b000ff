// Notifications between two workers: counters in the waiting worker's memory, one for each sender.
//
//   sender s                              waiter w
//                 -- add 1 -->            came[s] = 5;  waited[s] = 4, then 5
#include <atomic>
#include <vector>

#include "armci/state.h"

MPI_Comm ARMCI_COMM_WORLD = MPI_COMM_NULL;

namespace comex::armci {
namespace {

struct Notices {
  std::vector<void*> came;  // by rank: the address of its counters
  std::vector<std::atomic<long>> waited;
};

Notices& notices() {
  static Notices* only = new Notices;  // never destroyed, like the façade's state
  return *only;
}

long* counter(int of, int sender) {
  return static_cast<long*>(notices().came[static_cast<std::size_t>(of)]) + sender;
}

std::size_t checked(int proc) {
  if (!state().is_open) comex_error("a notification is asked for outside of init and finalize", 1);
  if (proc < 0 || proc >= state().size)
    comex_error("a notification to or from a rank that there is not", proc);
  return static_cast<std::size_t>(proc);
}

}  // namespace

void open_flavour() {
  const auto size = static_cast<std::size_t>(state().size);
  Notices& all = notices();
  all.came.assign(size, nullptr);
  all.waited = std::vector<std::atomic<long>>(size);
  if (comex_malloc(all.came.data(), size * sizeof(long), COMEX_GROUP_WORLD) != COMEX_SUCCESS) {
    comex_error("there is no room for the counters of armci_notify", 1);
  }
  for (int proc = 0; proc < state().size; ++proc) *counter(state().me, proc) = 0;
  comex_barrier(COMEX_GROUP_WORLD);
  comex_group_comm(COMEX_GROUP_WORLD, &ARMCI_COMM_WORLD);
}

void close_flavour() {
  ARMCI_COMM_WORLD = MPI_COMM_NULL;
  Notices& all = notices();
  if (comex_initialized() != 0) comex_free(all.came[static_cast<std::size_t>(state().me)], COMEX_GROUP_WORLD);
  all.came.clear();
}

}  // namespace comex::armci

using namespace comex::armci;

COMEX_C int parmci_notify(int proc) {
  const comex::runtime::CallName called(__func__);
  checked(proc);
  return comex_put_signal_add(nullptr, nullptr, 0, counter(proc, state().me), 1, proc, COMEX_GROUP_WORLD);
}
COMEX_WEAK_NAME(armci_notify, parmci_notify);

COMEX_C int parmci_notify_wait(int proc, int* value) {
  const comex::runtime::CallName called(__func__);
  const long expected = ++notices().waited[checked(proc)];
  const int result = comex_wait_until(counter(state().me, proc), COMEX_CMP_GE, expected);
  if (value != nullptr) *value = static_cast<int>(expected);
  return result;
}
COMEX_WEAK_NAME(armci_notify_wait, parmci_notify_wait);
