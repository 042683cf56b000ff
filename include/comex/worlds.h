/*
 * worlds.h: who is who. Global and local process ids, process ranks, comparing and dividing groups,
 * endpoints, and worlds that are spawned or meet. C99 and C++20. The conventions of comex.h hold here too.
 *
 * A world is the workers of one comex_init. Others come in by spawn or by accept and connect. A group handle
 * may be an inter-group: a local group on each side, and `proc` then is a rank of the remote one.
 */
#ifndef COMEX_WORLDS_H_
#define COMEX_WORLDS_H_

#include <comex/comex.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMEX_GROUP_SELF (-2)   /* the group of the calling worker alone */
#define COMEX_RANK_INVALID (-1) /* a rank or local id that is not known here */

/* -- Names of processes -------------------------------------------------------------------------------------
 * A gpid names one worker for everybody: its world, whose upper 8 bits are the process manager
 * (COMEX_MANAGER), and its rank there. An lpid means something to its holder only: in the own world it is the
 * rank in COMEX_GROUP_WORLD; workers of other worlds get the lowest free numbers above, in the order in which
 * spawn, connect, inter-group creation and merge name them, and lose them with their world. Progress ranks
 * have neither. In an inter-group, `rank`, `size` and the arrays are those of the remote group
 * (comex_group_remote_size), while comex_group_rank and comex_group_size tell of the local one. */
typedef struct {
  uint32_t world;
  uint32_t rank;
} comex_gpid_t;

COMEX_API int comex_gpid(comex_group_t group, int rank, comex_gpid_t* gpid);
/* `size` is the group's; *single_world is 1 when all are of one world, else 0. It may be NULL. */
COMEX_API int comex_gpids(comex_group_t group, int size, comex_gpid_t gpids[], int* single_world);
/* These look up and never assign: COMEX_RANK_INVALID for a process that has no lpid here. A world that is not
 * known here, and a rank that its world does not have, are errors. */
COMEX_API int comex_gpid_to_lpid(comex_gpid_t gpid, int* lpid);
COMEX_API int comex_gpids_to_lpids(int n, const comex_gpid_t gpids[], int lpids[]);
COMEX_API int comex_lpid_to_gpid(int lpid, comex_gpid_t* gpid);
COMEX_API int comex_lpids(comex_group_t group, int size, int lpids[]);
/* Processes that have an lpid here, the caller included. Those of the own world are 0 up to its size; above
 * them are gaps where worlds have gone, so that an lpid may be larger than the count, and one below it
 * nobody's. */
COMEX_API int comex_lpid_count(int* count);
/* Collective over the processes named, of whatever worlds, each of which names the same ones in the same
 * order by lpids of its own; so each has an lpid for every other. Callers that are not named need not call
 * and get COMEX_GROUP_NULL. Where no connection has all of them on it, one is made, within COMEX_MEET_S; free
 * the group as any other, or let its connections go with comex_world_disconnect. Within one world the group
 * has a communicator, as from comex_group_create; members that mean different groups fail as there. */
COMEX_API int comex_group_from_lpids(int n, const int lpids[], comex_group_t* group);

/* -- Process ranks: MPI's numbers, which count progress ranks -----------------------------------------------
 * vpid: rank in its world. local_rank: position, by vpid, among the processes of its world on its host.
 * node_rank: the same over all worlds of the launch on that host, never reused. app_rank: rank within its
 * part of a launch of several programs; known of the caller only. What is not known is COMEX_RANK_INVALID. */
typedef struct {
  int vpid;
  int local_rank;
  int node_rank;
  int app_rank;
} comex_process_ranks_t;

COMEX_API int comex_process_ranks(int lpid, comex_process_ranks_t* ranks);

/* -- Comparing two handles ----------------------------------------------------------------------------------
 * IDENT: one group, same endpoint. ALIASED: one group, another endpoint. Otherwise the groups differ at least
 * by context: CONGRUENT has the same members in one order, SIMILAR in another order, UNEQUAL has not the
 * same; _ALIAS is added where the handles are different endpoints. Not collective. Of inter-groups, the
 * weaker of the local and the remote result; an inter-group and a group are UNEQUAL. */
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
/* The same, but of the values above COMEX_UNEQUAL only COMEX_ALIASED is told. */
COMEX_API int comex_group_compare_basic(comex_group_t a, comex_group_t b, int* result);
/* The three questions that compare answers at once. relation: COMEX_IDENT (same members, same order),
 * COMEX_SIMILAR or COMEX_UNEQUAL, whatever the endpoints and contexts. */
COMEX_API int comex_group_same_context(comex_group_t a, comex_group_t b, int* same);
COMEX_API int comex_group_relation(comex_group_t a, comex_group_t b, int* ident_similar_or_unequal);
COMEX_API int comex_group_same_endpoint(comex_group_t a, comex_group_t b, int* same);

/* -- Groups from groups: collective over `group`, all endpoints included ------------------------------------
 * Split puts members of one color (>= 0) into one part, ordered by key, then by rank; MPI_UNDEFINED gives
 * COMEX_GROUP_NULL. Free them with comex_group_free. */
COMEX_API int comex_group_dup(comex_group_t group, comex_group_t* dup);
COMEX_API int comex_group_split(comex_group_t group, int color, int key, comex_group_t* part);
/* Gives the caller my_count >= 0 ranks of one new group, in the order of the parent's ranks, and a handle for
 * each. Each handle is driven by a thread of its own; MPI_THREAD_SERIALIZED suffices. Whatever is collective
 * is called by all endpoints at once, each through its handle. An endpoint is (process, endpoint), whatever
 * rank it has in a group; create, dup and split keep it. Such a group has no MPI communicator.
 * What goes through a handle is the endpoint's, and lines about errors name it by its rank. comex_lock,
 * comex_trylock and comex_unlock name no group: a thread makes them for the endpoint through whose handle it
 * has last moved data or taken part in a collective, as long as that endpoint has a handle; a thread that
 * drives none, for the process itself. What one endpoint has locked another one cannot unlock. */
COMEX_API int comex_group_create_endpoints(comex_group_t parent, int my_count, comex_group_t handles[]);

/* -- Worlds that come and go: collective over `group` -------------------------------------------------------
 * Arguments other than group, root and timeout_s count at `root` only, which is the same on all. All members
 * get the new inter-group, or all get the error. Outstanding operations of the members are fenced first.
 * Processes meet: a group of endpoints is refused. */
/* Starts `processes` MPI processes, progress ranks included; argv ends with NULL or is NULL. */
COMEX_API int comex_world_spawn(const char* command, char* const argv[], int processes, int root,
                                comex_group_t group, comex_group_t* children);
/* The inter-group with the world that spawned the caller's; COMEX_GROUP_NULL if none did. Not collective. */
COMEX_API int comex_world_parent(comex_group_t* parent);
/* A port to be told to those who connect: text, at most port_bytes with its end. Not collective. */
COMEX_API int comex_world_open_port(char* port, int port_bytes);
COMEX_API int comex_world_close_port(const char* port);
/* Nobody there within timeout_s seconds is an error on all members. */
COMEX_API int comex_world_accept(const char* port, int root, comex_group_t group, double timeout_s,
                                 comex_group_t* peer);
COMEX_API int comex_world_connect(const char* port, int root, comex_group_t group, double timeout_s,
                                  comex_group_t* peer);
/* Collective over both sides: waits for traffic, releases the group and what it held of the other worlds (a
 * world goes when its last connection does). *peer becomes COMEX_GROUP_NULL. */
COMEX_API int comex_world_disconnect(comex_group_t* peer);

/* -- Inter-groups -------------------------------------------------------------------------------------------
 */
COMEX_API int comex_group_remote_size(comex_group_t inter, int* size);
/* Collective over both local groups; `peer` holds both leaders and counts at the leaders only, as do
 * remote_leader, a rank of `peer`, and `tag` >= 0. The sides have no process in common, and no endpoints. A
 * side whose arguments are wrong fails at once and the other one after COMEX_MEET_S, since nobody tells it;
 * then both may try again. */
COMEX_API int comex_intergroup_create(comex_group_t local, int local_leader, comex_group_t peer,
                                      int remote_leader, int tag, comex_group_t* inter);
/* One group of both sides, the one that says high = 0 first; where both say the same, the library decides. */
COMEX_API int comex_group_merge(comex_group_t inter, int high, comex_group_t* merged);

/* Connection data of the program's own, carried when inter-groups come into being: business cards of
 * processes outside the own world. collect fills `card` (at most *card_bytes, which it sets) for a process
 * whose world the other side does not know, deliver hands such a card to every member of the side that lacked
 * it, before any of them converts ids; ready follows when the ids stand. Nothing is sent for worlds that both
 * sides know, and nothing at all where a leader has no hook. A hook has collect and deliver; ready may be
 * NULL. A result other than 0 fails the creation on both sides. `peer` is what comex_intergroup_create was
 * given at a leader, COMEX_GROUP_NULL at other members; in spawn, accept and connect, which have no such
 * group, it is the new inter-group. */
typedef struct {
  int (*collect)(uint32_t world, uint32_t rank, void* card, size_t* card_bytes, void* context);
  int (*deliver)(uint32_t world, uint32_t rank, const void* card, size_t card_bytes, void* context);
  int (*ready)(comex_group_t peer, comex_group_t local, int remote_size, const comex_gpid_t remote[],
               int local_leader, void* context);
  void* context;
} comex_card_hook_t;

/* For the calling process, until the next call; NULL: none. The struct is copied. Register it on all members
 * of a group or on none. */
COMEX_API int comex_set_card_hook(const comex_card_hook_t* hook);

/* -- What keeps a world here: counts, for tests and tools ---------------------------------------------------
 * A table of connections counts the groups that share it. A connection counts the tables it is in, operations
 * under way that hold it, and one for being attached, from its first use to its disconnection. A world counts
 * its connections that are not zero; other worlds go at zero. Of an inter-group the table is the remote one.
 */
COMEX_API int comex_table_references(comex_group_t group, int* count);
COMEX_API int comex_connection_references(comex_gpid_t gpid, int* count);
COMEX_API int comex_world_references(uint32_t world, int* count);

#ifdef __cplusplus
}
#endif

#endif
