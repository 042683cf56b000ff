/* A sum over all workers, of which worker 1 passes one element less than the others, or one more if there is
 * an argument: the job ends with a line. */
#include <armci.h>
#include <message.h>

int main(int argc, char** argv) {
  long numbers[3] = {1, 2, 3};
  int other = argc > 1 ? 3 : 1;
  char plus[] = "+";
  ARMCI_Init_args(&argc, &argv);
  armci_msg_lgop(numbers, armci_msg_me() == 1 ? other : 2, plus);
  armci_msg_barrier();
  return 0;
}
