#include "measure.h"

namespace comex::bench {
namespace {

bool agree(const Rig& rig, bool mine) {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, rig.comm());
  return all != 0;
}

// The others sleep in a barrier of the runtime until worker 0 is done.
void turn(Row& row, Contender& contender, const Rig& rig, bool is_warm_up) {
  comex_barrier(COMEX_GROUP_WORLD);
  const double nanoseconds = contender.once();
  comex_barrier(COMEX_GROUP_WORLD);
  if (!is_warm_up) contender.nanoseconds.add(nanoseconds);
  const bool is_ours = &contender == &row.contenders.front();
  if (!is_ours) return;
  if (!agree(rig, row.verify())) row.is_verified = false;
}

}  // namespace

void measure(std::vector<Row>& rows, const Rig& rig, int rounds) {
  for (int round = -1; round < rounds; ++round) {
    for (Row& row : rows) {
      for (Contender& contender : row.contenders) turn(row, contender, rig, round < 0);
    }
  }
}

}  // namespace comex::bench
