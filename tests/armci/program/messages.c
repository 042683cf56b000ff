/* Broadcasts, global operations, messages between two. */
#include "check.h"

void test_broadcast(void) {
  enum { large = 3000000 };
  char* buf = malloc(large);
  for (int root = 0; root < nproc; ++root) {
    int word = me == root ? root + 17 : -1;
    armci_msg_bcast(&word, sizeof word, root);
    CHECK(word == root + 17);
    word = me == root ? root + 18 : -1;
    armci_msg_brdcst(&word, sizeof word, root);
    CHECK(word == root + 18);
    word = me == root ? root + 19 : -1;
    armci_msg_bcast_scope(SCOPE_ALL, &word, sizeof word, root);
    CHECK(word == root + 19);
  }
  for (int i = 0; i < large; ++i) buf[i] = me == nproc - 1 ? (char)(i % 251) : 0;
  armci_msg_bcast(buf, large, nproc - 1);
  for (int i = 0; i < large; i += 1013) CHECK(buf[i] == (char)(i % 251));
  armci_msg_bcast(buf, 0, 0);
  free(buf);

  int root, up, left, right, above = 0;
  armci_msg_bintree(SCOPE_ALL, &root, &up, &left, &right);
  CHECK(root == 0 && (up == -1) == (me == 0));
  CHECK(left == -1 || (left < nproc && left > me));
  CHECK(right == -1 || right == left + 1);
  /* Parents and children agree: each is told by its parent. */
  if (left >= 0) armci_msg_snd(5, &me, sizeof me, left);
  if (right >= 0) armci_msg_snd(5, &me, sizeof me, right);
  if (up >= 0) {
    armci_msg_rcv(5, &above, sizeof above, NULL, up);
    CHECK(above == up);
  }
}

/* x of rank r is r + i + 1, negative where r is odd; what each operation makes of them, computed here too. */
#define GOP(Type, call)                                                                              \
  do {                                                                                               \
    static const char* const names[] = {"+", "*", "max", "min", "absmax", "absmin"};                 \
    for (int which = 0; which < 6; ++which) {                                                        \
      char* op = at_edge(names[which]);                                                              \
      Type x[5];                                                                                     \
      for (int i = 0; i < 5; ++i) x[i] = (Type)((me % 2 ? -1 : 1) * (me + i + 1));                   \
      call(x, 5, op);                                                                                \
      for (int i = 0; i < 5; ++i) {                                                                  \
        Type sum = 0, product = 1, max = (Type)(i + 1), min = (Type)(i + 1), absmax = (Type)(i + 1); \
        for (int r = 0; r < nproc; ++r) {                                                            \
          Type v = (Type)((r % 2 ? -1 : 1) * (r + i + 1));                                           \
          sum = (Type)(sum + v);                                                                     \
          product = (Type)(product * v);                                                             \
          if (v > max) max = v;                                                                      \
          if (v < min) min = v;                                                                      \
          if (v > absmax || -v > absmax) absmax = v < 0 ? (Type)-v : v;                              \
        }                                                                                            \
        CHECK(which != 0 || x[i] == sum);                                                            \
        CHECK(which != 1 || x[i] == product);                                                        \
        CHECK(which != 2 || x[i] == max);                                                            \
        CHECK(which != 3 || x[i] == min);                                                            \
        CHECK(which != 4 || x[i] == absmax);                                                         \
        CHECK(which != 5 || x[i] == (Type)(i + 1));                                                  \
      }                                                                                              \
    }                                                                                                \
  } while (0)

static void int_gop(int* x, int n, char* op) {
  armci_msg_gop_scope(SCOPE_ALL, x, n, op, ARMCI_INT);
}

void test_gop(void) {
  enum { many = 400000 };
  char plus[] = "+", either[] = "or";
  GOP(int, armci_msg_igop);
  GOP(int, int_gop);
  GOP(long, armci_msg_lgop);
  GOP(long long, armci_msg_llgop);
  GOP(float, armci_msg_fgop);
  GOP(double, armci_msg_dgop);
  int bits = 1 << me;
  armci_msg_igop(&bits, 1, either);
  CHECK(bits == (1 << nproc) - 1);
  char blanks[] = "max  "; /* as Fortran passes it */
  bits = me;
  armci_msg_igop(&bits, 1, blanks);
  CHECK(bits == nproc - 1);
  double* x = malloc(many * sizeof *x);
  for (int i = 0; i < many; ++i) x[i] = me + 0.5 * i;
  armci_msg_dgop(x, many, plus);
  for (int i = 0; i < many; i += 991) CHECK(x[i] == nproc * (nproc - 1) / 2.0 + 0.5 * i * nproc);
  /* A reduction gives the result to rank 0 and leaves the others alone. */
  for (int i = 0; i < many; ++i) x[i] = me + i;
  armci_msg_reduce(x, many, plus, ARMCI_DOUBLE);
  for (int i = 0; i < many; i += 991) {
    CHECK(x[i] == (me == 0 ? nproc * (nproc - 1) / 2.0 + (double)i * nproc : me + i));
  }
  long one = 1;
  armci_msg_reduce_scope(SCOPE_ALL, &one, 1, plus, ARMCI_LONG);
  CHECK(one == (me == 0 ? nproc : 1));
  free(x);
}

struct candidate {
  union {
    double d;
    long l;
    int i;
    float f;
  } value;
  int who;
  char text[20];
};

static struct candidate candidate(void) {
  struct candidate mine;
  memset(&mine, 0xff, sizeof mine); /* garbage: not a number, as a double */
  mine.who = me;
  sprintf(mine.text, "rank %d", me);
  return mine;
}

static void check_winner(const struct candidate* got, int who) {
  char text[20];
  sprintf(text, "rank %d", who);
  CHECK(got->who == who && strcmp(got->text, text) == 0);
}

void test_select(void) {
  char max[] = "max", min[] = "min";
  int last = nproc - 1, size = (int)sizeof(struct candidate);
  struct candidate mine = candidate();
  mine.value.d = me;
  armci_msg_sel_scope(SCOPE_ALL, &mine, size, max, ARMCI_DOUBLE, 1);
  check_winner(&mine, last);
  mine = candidate();
  mine.value.i = -me;
  armci_msg_sel(&mine, size, min, ARMCI_INT, 1);
  check_winner(&mine, last);
  mine = candidate();
  mine.value.f = (float)(10 - me);
  armci_msg_sel(&mine, size, max, ARMCI_FLOAT, 1);
  check_winner(&mine, 0);
  /* Only the last contributes; the others pass garbage, or what would have won. */
  mine = candidate();
  if (me == last) mine.value.l = 5;
  if (me == 0 && last > 0) mine.value.l = -1000;
  armci_msg_sel(&mine, size, min, ARMCI_LONG, me == last);
  check_winner(&mine, last);
  CHECK(mine.value.l == 5);
  /* Of equals the highest; without any contributor the last. */
  mine = candidate();
  mine.value.l = 7;
  armci_msg_sel(&mine, size, max, ARMCI_LONG, 1);
  check_winner(&mine, last);
  mine = candidate();
  armci_msg_sel(&mine, size, max, ARMCI_DOUBLE, 0);
  check_winner(&mine, last);
}

void test_point_to_point(void) {
  enum { large = 2000000 };
  int got = -1, length = -1, to = neighbour(1), from = neighbour(nproc - 1);
  char* buf = malloc(large);
  CHECK(armci_timer() >= 0);
  if (nproc == 1) {
    free(buf);
    return;
  }
  /* Round the circle, one rank after the other */
  if (me > 0) armci_msg_rcv(7, &got, sizeof got, &length, from);
  armci_msg_snd(7, &me, sizeof me, to);
  if (me == 0) armci_msg_rcv(7, &got, sizeof got, &length, from);
  CHECK(got == from && length == (int)sizeof got);
  /* A large one, into a larger buffer; then from anybody */
  memset(buf, me + 1, large);
  if (me == 0) armci_msg_snd(8, buf, large - 10, nproc - 1);
  if (me == nproc - 1) {
    armci_msg_rcv(8, buf, large, &length, 0);
    CHECK(length == large - 10 && buf[0] == 1 && buf[large - 11] == 1 && buf[large - 1] == me + 1);
  }
  if (me > 0) armci_msg_snd(9, &me, sizeof me, 0);
  for (int i = 1, seen = 0; me == 0 && i < nproc; ++i) {
    int who = armci_msg_rcvany(9, &got, sizeof got, &length);
    CHECK(who == got && (seen & (1 << who)) == 0);
    seen |= 1 << who;
  }
  armci_msg_barrier();
  free(buf);
}
