/*
 * message.h: messages and collectives of ARMCI programs, packaged flavour.
 *
 * - Ranks, roots included, are those of the world of workers, and so are collectives without a group
 * argument. `op` begins with the name of an operation; what follows that is not read, so it needs no end.
 * `type` is one of the element types below, n and len count elements and bytes.
 * - barrier, bcast, gop, reduce, sel and their group forms begin with a fence of the group and a barrier;
 * with SCOPE_NODE they do neither, with SCOPE_MASTERS only the masters meet. snd and rcv fence nothing.
 * - All of them keep the runtime going while they wait.
 */
#ifndef COMEX_ARMCI_MPI_MESSAGE_H_
#define COMEX_ARMCI_MPI_MESSAGE_H_

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum armci_scope_e {
  SCOPE_ALL,    /* the group */
  SCOPE_NODE,   /* its members of the caller's domain */
  SCOPE_MASTERS /* its first member of each domain; a call of another returns at once */
};
enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

int armci_msg_me(void);
int armci_msg_nproc(void);
void armci_msg_abort(int code);
double armci_timer(void);

/* -- Messages between two workers: return when the buffer may be reused, or is filled. They fence nothing.
 * A message longer than buflen ends the job. *msglen (may be null) gets the length that came; rcvany returns
 * who sent. */
void armci_msg_snd(int tag, void* buffer, int len, int to);
void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from);
int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen);

/* -- Collectives */
void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group* group);
/* The caller's place in the binary tree over a scope; -1 where there is none. */
void armci_msg_bintree(int scope, int* Root, int* Up, int* Left, int* Right);

void armci_msg_bcast(void* buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void* buffer, int len, int root);
void armci_msg_brdcst(void* buffer, int len, int root);
void armci_msg_group_bcast_scope(int scope, void* buffer, int len, int root, ARMCI_Group* group);

/* The result goes to the first rank of the scope; x is left as it was elsewhere. */
void armci_msg_reduce(void* x, int n, char* op, int type);
void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type);

/* Selection: x holds n bytes and begins with a value of `type`. Of the ranks whose `contribute` is not 0, the
 * one with the least ("min") or greatest ("max") value, the highest of several, gives all its n bytes to
 * everybody. What others than contributors hold is never looked at; without a contributor the last rank
 * counts as one. */
void armci_msg_sel(void* x, int n, char* op, int type, int contribute);
void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute);

/* Every rank fills in its own entry of n; all get all entries. */
void armci_exchange_address(void* ptr_arr[], int n);
void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group);

/* Within the domain; broadcasts start from its first rank. */
void armci_msg_clus_brdcst(void* buffer, int len);
void armci_msg_clus_igop(int* x, int n, char* op);
void armci_msg_clus_lgop(long* x, int n, char* op);
void armci_msg_clus_llgop(long long* x, int n, char* op);
void armci_msg_clus_fgop(float* x, int n, char* op);
void armci_msg_clus_dgop(double* x, int n, char* op);
/* Among the ranks grp_master to grp_master + grp_clus_nproc - 1 of a group, from the first of them. */
void armci_grp_clus_brdcst(void* buffer, int len, int grp_master, int grp_clus_nproc, ARMCI_Group* group);

/* Element by element: "+", "*", "max", "min", "absmax", "absmin"; of integers also "or", "and", "bor",
 * "band" (bits) and "lor", "land", "||", "&&" (truth). All ranks get the same bits. A name ends where the
 * known one ends: what follows is not read, so that neither a single character nor a Fortran literal needs a
 * terminator. */
void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type);
void armci_msg_igop(int* x, int n, char* op);
void armci_msg_lgop(long* x, int n, char* op);
void armci_msg_llgop(long long* x, int n, char* op);
void armci_msg_fgop(float* x, int n, char* op);
void armci_msg_dgop(double* x, int n, char* op);
void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group);
void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
