/* Messages that do not come. Usage: message_waits WHAT
 * receive, any, send, broadcast: worker 0 waits for worker 1, which makes no call. circle: for each other.
 * death: worker 1 has died. group: worker 0 makes a group of both. */
#include <armci.h>
#include <message.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char bytes[8 << 20];

int main(int argc, char** argv) {
  ARMCI_Init_args(&argc, &argv);
  const char* what = argc > 1 ? argv[1] : "";
  const int me = armci_msg_me();
  const int is_circle = strcmp(what, "circle") == 0;
  armci_msg_barrier();
  if (strcmp(what, "death") == 0 && me == 1) raise(SIGKILL);
  if (me == 1 && !is_circle) sleep(60);
  if (me > 1) sleep(60);
  if (strcmp(what, "any") == 0) {
    armci_msg_rcvany(7, bytes, sizeof bytes, NULL);
  } else if (strcmp(what, "send") == 0) {
    armci_msg_snd(7, bytes, sizeof bytes, 1);
  } else if (strcmp(what, "broadcast") == 0) {
    armci_msg_bcast_scope(SCOPE_NODE, bytes, 8, 1);
  } else if (strcmp(what, "group") == 0) {
    int both[2] = {0, 1};
    ARMCI_Group group;
    ARMCI_Group_create(2, both, &group);
  } else {
    armci_msg_rcv(7, bytes, sizeof bytes, NULL, 1 - me);
  }
  printf("worker %d got what nobody has sent\n", me);
  return 0;
}
