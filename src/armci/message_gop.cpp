// The calls for global operations (gop) and reductions.
#include "armci/export.h"
#include "armci/messages.h"

using namespace comex::armci;

namespace {

void gop_over(int scope, void* x, int n, const char* op, int type, comex_group_t group) {
  const Reduction reduction = Reduction::of(op, type);
  reduce_for_all(enter_collective(scope, group), x, checked_count(n), reduction);
}

void reduce_over(int scope, void* x, int n, const char* op, int type) {
  const Reduction reduction = Reduction::of(op, type);
  const std::size_t elements = checked_count(n);
  const CollectiveContext scene = enter_collective(scope, collective_group());
  if (scene.takes_part()) reduce(*scene.team, x, elements, reduction, Others::keep);
}

}  // namespace

COMEX_C void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type) {
  const comex::runtime::CallName called(__func__);
  gop_over(scope, x, n, op, type, collective_group());
}

COMEX_C void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  gop_over(scope, x, n, op, type, handle_of(group));
}

COMEX_C void armci_msg_reduce(void* x, int n, char* op, int type) {
  const comex::runtime::CallName called(__func__);
  reduce_over(SCOPE_ALL, x, n, op, type);
}

COMEX_C void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type) {
  const comex::runtime::CallName called(__func__);
  reduce_over(scope, x, n, op, type);
}

// Defines the global operations of one type: over all, over the caller's node, over a group.
#define COMEX_GOP(letters, Element, type)                                                        \
  COMEX_C void armci_msg_##letters##gop(Element* x, int n, char* op) {                           \
    const comex::runtime::CallName called(__func__);                                             \
    gop_over(SCOPE_ALL, x, n, op, type, collective_group());                                     \
  }                                                                                              \
  COMEX_C void armci_msg_clus_##letters##gop(Element* x, int n, char* op) {                      \
    const comex::runtime::CallName called(__func__);                                             \
    gop_over(SCOPE_NODE, x, n, op, type, collective_group());                                    \
  }                                                                                              \
  COMEX_C void armci_msg_group_##letters##gop(Element* x, int n, char* op, ARMCI_Group* group) { \
    const comex::runtime::CallName called(__func__);                                             \
    gop_over(SCOPE_ALL, x, n, op, type, handle_of(group));                                       \
  }                                                                                              \
  static_assert(true) /* takes the semicolon */

COMEX_GOP(i, int, ARMCI_INT);
COMEX_GOP(l, long, ARMCI_LONG);
COMEX_GOP(ll, long long, ARMCI_LONG_LONG);
COMEX_GOP(f, float, ARMCI_FLOAT);
COMEX_GOP(d, double, ARMCI_DOUBLE);
