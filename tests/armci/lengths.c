/* A sum over all workers, of which worker 1 passes one element less than the others: the job ends with a
 * line. */
#include <armci.h>
#include <message.h>

int main(int argc, char** argv) {
  long numbers[2] = {1, 2};
  char plus[] = "+";
  ARMCI_Init_args(&argc, &argv);
  armci_msg_lgop(numbers, armci_msg_me() == 1 ? 1 : 2, plus);
  armci_msg_barrier();
  return 0;
}
