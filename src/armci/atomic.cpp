// Read-modify-write, and the mutexes of the world.
#include "armci/codes.h"
#include "armci/export.h"
#include "armci/state.h"

using namespace comex::armci;

COMEX_PROFILED(Rmw) int PARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc) {
  return comex_rmw(rmw_code(op), ploc, prem, value, proc, COMEX_GROUP_WORLD);
}

COMEX_PROFILED(Create_mutexes) int PARMCI_Create_mutexes(int count) {
  const comex::runtime::CallName called(__func__);
  return comex_create_mutexes(count);
}

COMEX_PROFILED(Destroy_mutexes) int PARMCI_Destroy_mutexes(void) {
  const comex::runtime::CallName called(__func__);
  return comex_destroy_mutexes();
}

COMEX_PROFILED(Lock) void PARMCI_Lock(int mutex, int proc) {
  const comex::runtime::CallName called(__func__);
  end_at_death(comex_lock(mutex, proc));
}

COMEX_PROFILED(Unlock) void PARMCI_Unlock(int mutex, int proc) {
  const comex::runtime::CallName called(__func__);
  end_at_death(comex_unlock(mutex, proc));
}
