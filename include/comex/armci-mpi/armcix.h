/*
 * armcix.h: extensions of the packaged flavour: groups by color, and mutexes of one's own beside those of
 * ARMCI_Create_mutexes.
 */
#ifndef COMEX_ARMCI_MPI_ARMCIX_H_
#define COMEX_ARMCI_MPI_ARMCIX_H_

#include <stdint.h>

#include "armci.h"
#include "armciconf.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Collective over the parent. Members with the same color >= 0 form a group, ordered by key, then by their
 * rank in the parent; with a negative color one is in none. Both return 0. */
int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* new_group);
int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* new_group);

typedef struct armcix_mutex_hdl_s* armcix_mutex_hdl_t;

/* Collective over the group; each member brings `count` mutexes, named by (mutex, rank in the world). Locks
 * are granted in order of arrival. Trylock yields 0 if it got the lock, else not 0. */
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group* group);
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t handle);
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t handle, int mutex, int proc);
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t handle, int mutex, int proc);
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t handle, int mutex, int proc);

void ARMCIX_Progress(void); /* one round of whatever is under way here */

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
