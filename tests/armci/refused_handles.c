/* Mutex handles and groups that the packaged flavour refuses. */
#include <armcix.h>

#include "refused_arguments.h"

static armcix_mutex_hdl_t handle_of(int mutexes) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  return ARMCIX_Create_mutexes_hdl(mutexes, &world);
}

static void negative_number_of_mutexes(void) {
  handle_of(-1);
}
static void mutex_of_no_handle(void) {
  ARMCIX_Lock_hdl(NULL, 0, 0);
}
static void mutex_of_a_negative_rank(void) {
  ARMCIX_Lock_hdl(handle_of(1), 0, -1);
}
static void mutex_of_nobody(void) {
  ARMCIX_Trylock_hdl(handle_of(1), 0, 99);
}
static void negative_mutex(void) {
  ARMCIX_Trylock_hdl(handle_of(1), -1, 0);
}
static void mutex_beyond_the_handle(void) {
  ARMCIX_Lock_hdl(handle_of(2), 2, 0);
}
static void unlock_of_what_is_not_held(void) {
  ARMCIX_Unlock_hdl(handle_of(1), 0, 0);
}

static void group_that_is_none(void) {
  ARMCI_Group none;
  ARMCI_Group_get_world(&none);
  none.comm = MPI_COMM_SELF;
  int size = 0;
  ARMCI_Group_size(&none, &size);
}

int main(int argc, char** argv) {
  static const struct refused_call calls[] = {
      {"ARMCIX_Create_mutexes_hdl", negative_number_of_mutexes},
      {"ARMCIX_Lock_hdl", mutex_of_no_handle},
      {"ARMCIX_Lock_hdl", mutex_of_a_negative_rank},
      {"ARMCIX_Trylock_hdl", mutex_of_nobody},
      {"ARMCIX_Trylock_hdl", negative_mutex},
      {"ARMCIX_Lock_hdl", mutex_beyond_the_handle},
      {"ARMCIX_Unlock_hdl", unlock_of_what_is_not_held},
      {"ARMCI_Group_size", group_that_is_none},
  };
  return make_refused(argc, argv, calls, (int)(sizeof calls / sizeof *calls));
}
