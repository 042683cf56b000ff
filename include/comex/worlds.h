/*
 * worlds.h: processes by name. Global and local process ids, process ranks, comparing and dividing groups,
 * endpoints, and worlds that are spawned or meet. C99 and C++20. The conventions of comex.h hold here too.
 *
 * A world is the workers of one comex_init. Other worlds come in by spawn, or by accept and connect. A group
 * handle may be an inter-group, which has a local group on each side; `proc` is a rank of the remote one
 * then.
 */
#ifndef COMEX_WORLDS_H_
#define COMEX_WORLDS_H_

#include <stdint.h>

#include "comex.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMEX_GROUP_SELF (-2)   /* the group of the calling worker alone */
#define COMEX_RANK_INVALID (-1) /* a rank or local id that is not known here */

/* -- Names of processes --
 * A gpid names one worker for everybody. It has the number of the worker's world, whose upper 8 bits are the
 * process manager (COMEX_MANAGER), and the worker's rank there. An lpid means something to its holder only.
 * In the own world it is the rank in COMEX_GROUP_WORLD. Workers of other worlds get the lowest free numbers
 * above, in the order in which spawn, connect, inter-group creation and merge name them, and lose them with
 * their world. Progress ranks have neither. In an inter-group, `rank`, `size` and the arrays are those of the
 * remote group (comex_group_remote_size); comex_group_rank and comex_group_size tell of the local one. */
typedef struct {
  uint32_t world;
  uint32_t rank;
} comex_gpid_t;

COMEX_API int comex_gpid(comex_group_t group, int rank, comex_gpid_t* gpid);
/* `size` is the group's. *single_world becomes 1 when all are of one world, else 0; it may be NULL. */
COMEX_API int comex_gpids(comex_group_t group, int size, comex_gpid_t gpids[], int* single_world);
/* These look numbers up and never assign any. A process that has no lpid here gives COMEX_RANK_INVALID. A
 * world that is not known here, and a rank that its world does not have, are errors. */
COMEX_API int comex_gpid_to_lpid(comex_gpid_t gpid, int* lpid);
COMEX_API int comex_gpids_to_lpids(int n, const comex_gpid_t gpids[], int lpids[]);
COMEX_API int comex_lpid_to_gpid(int lpid, comex_gpid_t* gpid);
COMEX_API int comex_lpids(comex_group_t group, int size, int lpids[]);
/* The number of processes that have an lpid here, the caller included. Those of the own world are 0 up to its
 * size. Above them are gaps where worlds have gone, so that an lpid may be larger than the count, and a
 * smaller lpid may be unused. */
COMEX_API int comex_lpid_count(int* count);
/* Collective over the processes named, which may be of several worlds. Each of them names the same processes
 * in the same order, by lpids of its own; so each has an lpid for every other. Callers that are not named
 * need not call and get COMEX_GROUP_NULL. Where no connection has all of them on it, the call makes one, in
 * steps of up to COMEX_MEET_S each. comex_group_free frees the group as any other; comex_world_disconnect
 * also lets its connections go. Within one world the group has a communicator, as from comex_group_create.
 * Members that wait for others fail as there. */
COMEX_API int comex_group_from_lpids(int n, const int lpids[], comex_group_t* group);

/* -- Process ranks --
 * MPI's numbers, which count progress ranks. vpid is the rank in the world. local_rank is the position, by
 * vpid, among the processes of the world on one host. node_rank is the same over all worlds of the launch on
 * that host, and is never reused. app_rank is the rank within the part of a launch of several programs; it is
 * known of the caller only. What is not known is COMEX_RANK_INVALID. */
typedef struct {
  int vpid;
  int local_rank;
  int node_rank;
  int app_rank;
} comex_process_ranks_t;

COMEX_API int comex_process_ranks(int lpid, comex_process_ranks_t* ranks);

/* -- Comparing two handles --
 * COMEX_IDENT: one group and the same endpoint. COMEX_ALIASED: one group and another endpoint. Otherwise the
 * groups differ at least by context: CONGRUENT ones have the same members in one order, SIMILAR ones in
 * another order, UNEQUAL ones have other members; _ALIAS is added where the handles are different endpoints.
 * Of inter-groups the weaker result of the local and the remote side counts; an inter-group and a group are
 * UNEQUAL. Not collective. */
enum {
  COMEX_IDENT,
  COMEX_CONGRUENT,
  COMEX_SIMILAR,
  COMEX_UNEQUAL,
  COMEX_ALIASED,
  COMEX_CONGRUENT_ALIAS,
  COMEX_SIMILAR_ALIAS,
  COMEX_UNEQUAL_ALIAS
};

COMEX_API int comex_group_compare(comex_group_t a, comex_group_t b, int* result);
/* The same; of the values above COMEX_UNEQUAL it gives COMEX_ALIASED only. */
COMEX_API int comex_group_compare_basic(comex_group_t a, comex_group_t b, int* result);
/* Each part of compare as a call of its own. The relation is COMEX_IDENT (the same members in the same
 * order), COMEX_SIMILAR or COMEX_UNEQUAL, whatever the endpoints and contexts are. */
COMEX_API int comex_group_same_context(comex_group_t a, comex_group_t b, int* same);
COMEX_API int comex_group_relation(comex_group_t a, comex_group_t b, int* ident_similar_or_unequal);
COMEX_API int comex_group_same_endpoint(comex_group_t a, comex_group_t b, int* same);

/* -- Groups from groups --
 * Collective over `group`, all endpoints included. Split puts members of one color (>= 0) into one part,
 * ordered by key, then by rank; MPI_UNDEFINED gives COMEX_GROUP_NULL. comex_group_free frees them. */
COMEX_API int comex_group_dup(comex_group_t group, comex_group_t* dup);
COMEX_API int comex_group_split(comex_group_t group, int color, int key, comex_group_t* part);
/* Gives the caller my_count >= 0 ranks of one new group, in the order of the parent's ranks, and a handle for
 * each. A thread of its own drives each handle. MPI_THREAD_SERIALIZED suffices, but not where a process makes
 * other groups, meets or leaves worlds, or disconnects endpoints of several worlds while these threads make
 * calls: that takes MPI_THREAD_MULTIPLE. All endpoints make a collective call at once, each through its
 * handle. An endpoint stays the same whatever rank it has in a group; create, dup and split keep it. Such a
 * group has no MPI communicator. What goes through a handle belongs to the endpoint, and lines about errors
 * name it by its rank. comex_lock, comex_trylock and comex_unlock name no group. A thread makes them for the
 * endpoint through whose handle it has last moved data or taken part in a collective, as long as that
 * endpoint has a handle. A thread that drives none makes them for the process itself. An endpoint cannot
 * unlock what another one has locked. */
COMEX_API int comex_group_create_endpoints(comex_group_t parent, int my_count, comex_group_t handles[]);

/* -- Worlds that come and go --
 * Collective over `group`. Arguments other than group, root and timeout_s count at `root` only; all members
 * name the same root. All members get the new inter-group, or all get the error. Outstanding operations of
 * the members are fenced first. A group of endpoints is refused. */
/* Starts `processes` MPI processes, progress ranks included; argv ends with NULL or is NULL. */
COMEX_API int comex_world_spawn(const char* command, char* const argv[], int processes, int root,
                                comex_group_t group, comex_group_t* children);
/* Gives the inter-group with the world that spawned the caller's, or COMEX_GROUP_NULL. Not collective. */
COMEX_API int comex_world_parent(comex_group_t* parent);
/* Opens a port. Its text, at most port_bytes with its end, is what others connect to. Not collective. */
COMEX_API int comex_world_open_port(char* port, int port_bytes);
COMEX_API int comex_world_close_port(const char* port);
/* If nobody comes within timeout_s seconds, all members fail. */
COMEX_API int comex_world_accept(const char* port, int root, comex_group_t group, double timeout_s,
                                 comex_group_t* peer);
COMEX_API int comex_world_connect(const char* port, int root, comex_group_t group, double timeout_s,
                                  comex_group_t* peer);
/* Collective over both sides. Completes all operations, then frees the group. The last disconnect between two
 * worlds ends their connection. *peer becomes COMEX_GROUP_NULL. Meanwhile no other thread starts an operation
 * on a process of the other side, over another group either. */
COMEX_API int comex_world_disconnect(comex_group_t* peer);

/* -- Inter-groups -- */
COMEX_API int comex_group_remote_size(comex_group_t inter, int* size);
/* Collective over both local groups. `peer` holds both leaders. It counts at the leaders only, as do
 * remote_leader, a rank of `peer`, and `tag` >= 0. The sides have no process in common, and no endpoints. A
 * side whose arguments are wrong fails at once, and the other one after COMEX_MEET_S; then both may try
 * again. Within one world it returns COMEX_PROC_FAILED if a member of either side has died. */
COMEX_API int comex_intergroup_create(comex_group_t local, int local_leader, comex_group_t peer,
                                      int remote_leader, int tag, comex_group_t* inter);
/* Makes one group of both sides. The side that says high = 0 comes first; where both say the same, the
 * library decides. */
COMEX_API int comex_group_merge(comex_group_t inter, int high, comex_group_t* merged);

/* Connection data of the program, which the library carries when inter-groups come into being: business cards
 * of processes outside the own world. collect fills `card` for a process whose world the other side does not
 * know; it has room for *card_bytes and sets that. deliver hands such a card to every member of the side that
 * lacked it, before any of them converts ids. ready is called when the ids are known. Nothing is sent for
 * worlds that both sides know, nor where a leader has no hook. A hook has collect and deliver; ready may be
 * NULL. A result other than 0 fails the creation on both sides. `peer` is the group that
 * comex_intergroup_create was given at a leader, and COMEX_GROUP_NULL at other members; in spawn, accept and
 * connect it is the new inter-group. */
typedef struct {
  int (*collect)(uint32_t world, uint32_t rank, void* card, size_t* card_bytes, void* context);
  int (*deliver)(uint32_t world, uint32_t rank, const void* card, size_t card_bytes, void* context);
  int (*ready)(comex_group_t peer, comex_group_t local, int remote_size, const comex_gpid_t remote[],
               int local_leader, void* context);
  void* context;
} comex_card_hook_t;

/* Sets the hook of the calling process until the next call; NULL: none. The struct is copied. A meeting uses
 * the hook that was set when it began. Either all members of a group have a hook or none. */
COMEX_API int comex_set_card_hook(const comex_card_hook_t* hook);

/* -- What keeps a world here --
 * Counts, for tests and tools. A table of connections counts the groups that share it. A connection counts
 * the tables it is in, operations under way that hold it, and one for being attached, from its first use to
 * its disconnection. A world counts its connections that are not zero; other worlds go at zero. Of an
 * inter-group the table is the remote one.
 */
COMEX_API int comex_table_references(comex_group_t group, int* count);
COMEX_API int comex_connection_references(comex_gpid_t gpid, int* count);
COMEX_API int comex_world_references(uint32_t world, int* count);

#ifdef __cplusplus
}
#endif

#endif
