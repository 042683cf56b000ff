// Global operations (gop) and reductions.
#include "api/armci/export.h"
#include "api/armci/messages.h"

using namespace comex::armci;

namespace {

void gop_over(int scope, void* x, int n, const char* op, int type, comex_group_t group) {
  const Reduction reduction = Reduction::of(op, type);
  reduce_for_all(enter_collective(scope, group), x, checked_count(n), reduction);
}

void reduce_over(int scope, void* x, int n, const char* op, int type) {
  const Reduction reduction = Reduction::of(op, type);
  const std::size_t elements = checked_count(n);
  const Scene scene = enter_collective(scope, collective_group());
  if (!scene.takes_part()) return;
  if (scene.team->index == 0) reduction.prepare(x, elements);
  reduce(*scene.team, x, elements, reduction, Others::keep);
}

}  // namespace

COMEX_C void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type) {
  gop_over(scope, x, n, op, type, collective_group());
}

COMEX_C void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group) {
  gop_over(scope, x, n, op, type, handle_of(group));
}

COMEX_C void armci_msg_reduce(void* x, int n, char* op, int type) {
  reduce_over(SCOPE_ALL, x, n, op, type);
}

COMEX_C void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type) {
  reduce_over(scope, x, n, op, type);
}

COMEX_C void armci_msg_igop(int* x, int n, char* op) {
  gop_over(SCOPE_ALL, x, n, op, ARMCI_INT, collective_group());
}
COMEX_C void armci_msg_clus_igop(int* x, int n, char* op) {
  gop_over(SCOPE_NODE, x, n, op, ARMCI_INT, collective_group());
}
COMEX_C void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group) {
  gop_over(SCOPE_ALL, x, n, op, ARMCI_INT, handle_of(group));
}

COMEX_C void armci_msg_lgop(long* x, int n, char* op) {
  gop_over(SCOPE_ALL, x, n, op, ARMCI_LONG, collective_group());
}
COMEX_C void armci_msg_clus_lgop(long* x, int n, char* op) {
  gop_over(SCOPE_NODE, x, n, op, ARMCI_LONG, collective_group());
}
COMEX_C void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group) {
  gop_over(SCOPE_ALL, x, n, op, ARMCI_LONG, handle_of(group));
}

COMEX_C void armci_msg_llgop(long long* x, int n, char* op) {
  gop_over(SCOPE_ALL, x, n, op, ARMCI_LONG_LONG, collective_group());
}
COMEX_C void armci_msg_clus_llgop(long long* x, int n, char* op) {
  gop_over(SCOPE_NODE, x, n, op, ARMCI_LONG_LONG, collective_group());
}
COMEX_C void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group) {
  gop_over(SCOPE_ALL, x, n, op, ARMCI_LONG_LONG, handle_of(group));
}

COMEX_C void armci_msg_fgop(float* x, int n, char* op) {
  gop_over(SCOPE_ALL, x, n, op, ARMCI_FLOAT, collective_group());
}
COMEX_C void armci_msg_clus_fgop(float* x, int n, char* op) {
  gop_over(SCOPE_NODE, x, n, op, ARMCI_FLOAT, collective_group());
}
COMEX_C void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group) {
  gop_over(SCOPE_ALL, x, n, op, ARMCI_FLOAT, handle_of(group));
}

COMEX_C void armci_msg_dgop(double* x, int n, char* op) {
  gop_over(SCOPE_ALL, x, n, op, ARMCI_DOUBLE, collective_group());
}
COMEX_C void armci_msg_clus_dgop(double* x, int n, char* op) {
  gop_over(SCOPE_NODE, x, n, op, ARMCI_DOUBLE, collective_group());
}
COMEX_C void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group) {
  gop_over(SCOPE_ALL, x, n, op, ARMCI_DOUBLE, handle_of(group));
}
