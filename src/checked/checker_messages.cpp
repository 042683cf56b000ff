// Messages and collectives of MPI that the program makes itself: what it orders by them.
#include <algorithm>

#include "checked/checker.h"
#include "checked/exchange.h"
#include "checked/next.h"

namespace comex::checker {
namespace {

bool is_between_groups(MPI_Comm comm) {
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  return is_inter != 0;
}

// The workers that are the members of a communicator, by rank there; -1 for others.
std::vector<int> workers_of(MPI_Comm comm, MPI_Comm wire) {
  if (comm == MPI_COMM_NULL || wire == MPI_COMM_NULL) return {};
  MPI_Group members = MPI_GROUP_NULL;
  MPI_Group workers = MPI_GROUP_NULL;
  if (is_between_groups(comm)) {
    PMPI_Comm_remote_group(comm, &members);
  } else {
    PMPI_Comm_group(comm, &members);
  }
  PMPI_Comm_group(wire, &workers);
  int size = 0;
  PMPI_Group_size(members, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> translated(ranks.size());
  for (int i = 0; i < size; ++i) ranks[static_cast<std::size_t>(i)] = i;
  PMPI_Group_translate_ranks(members, size, ranks.data(), workers, translated.data());
  PMPI_Group_free(&members);
  PMPI_Group_free(&workers);
  std::ranges::replace(translated, MPI_UNDEFINED, -1);
  return translated;
}

bool is_told(const Flow& flow, int from, int to) {
  switch (flow.way) {
    case Flow::Way::among_all:
      return true;
    case Flow::Way::from_root:
      return from == flow.root;
    case Flow::Way::to_root:
    case Flow::Way::to_one:
      return to == flow.root;
    case Flow::Way::to_higher_ranks:
      return to > from;
  }
  return true;
}

}  // namespace

// Where libcomex_world is loaded behind the checker, the program means the workers by MPI_COMM_WORLD, and
// counts its ranks among them.
MPI_Comm Checker::meant_by(MPI_Comm comm) const {
  if (comm != MPI_COMM_WORLD) return comm;
  int ranks = 0;
  if (size_of(comm) == workers_) return comm;
  next<&MPI_Comm_size>("MPI_Comm_size")(comm, &ranks);
  return ranks == workers_ ? wire_ : comm;
}

// The workers that a message or a collective of the caller's tells.
std::vector<int> Checker::told_over(MPI_Comm comm, const Flow& flow) const {
  // MPI_COMM_NULL: nobody knows to which of the workers it goes.
  comm = comm == MPI_COMM_NULL ? wire_ : meant_by(comm);
  const std::vector<int> workers = workers_of(comm, wire_);
  int rank = MPI_ROOT;  // between two groups the root that sends has no other name
  if (!workers.empty() && !is_between_groups(comm)) PMPI_Comm_rank(comm, &rank);
  std::vector<int> to;
  for (int i = 0; i < static_cast<int>(workers.size()); ++i) {
    const int worker = workers[static_cast<std::size_t>(i)];
    if (worker >= 0 && is_told(flow, rank, i)) to.push_back(worker);
  }
  return to;
}

void Checker::sends(MPI_Comm comm, const Flow& flow) {
  act_for_thread();
  learn_inbox();
  if (const std::vector<int> to = told_over(comm, flow); !to.empty()) publish_to(to);
}

void Checker::received() {
  act_for_thread();
  learn_from(all_workers());
  for (const int worker : locked([&] { return synchronous_; })) learn_row(clock_memory_.receives(worker));
}

// What came by signals and flags, the receiver may have seen.
void Checker::begins_receive() {
  act_for_thread();
  const ClockRow row = clock_memory_.receives(me_);
  for (const ClockRow& seen : {clock_memory_.inbox(me_), clock_memory_.flags(me_)})
    clock_memory_.raise(row, clock_memory_.read(seen));
  clock_memory_.raise(row, locked([&] { return release(); }));
  next<&comex_fence_proc>("comex_fence_proc")(me_, COMEX_GROUP_WORLD);
}

void Checker::sent_synchronously(MPI_Comm comm, int dest, bool is_complete) {
  act_for_thread();
  for (const int worker : told_over(comm, {Flow::Way::to_one, dest})) {
    if (is_complete) {
      learn_row(clock_memory_.receives(worker));
    } else {
      const Guard guard(mutex_);
      synchronous_.insert(worker);
    }
  }
}

bool Checker::reaches_exactly(MPI_Comm comm) const {
  comm = meant_by(comm);
  const std::vector<int> workers = workers_of(comm, wire_);
  return workers.empty() || (!is_between_groups(comm) && std::ranges::find(workers, -1) == workers.end());
}

void Checker::met_over(MPI_Comm comm, const Flow& flow) {
  act_for_thread();
  learn_flags();
  comm = meant_by(comm);
  const std::vector<int> workers = workers_of(comm, wire_);
  if (workers.size() < 2) return;
  if (flow.way == Flow::Way::among_all) return meet_over({}, COMEX_GROUP_NULL, comm);
  std::vector<Time> row = locked([&] { return release(); });
  if (flow.way == Flow::Way::from_root) broadcast_from(comm, flow.root, row);
  if (flow.way == Flow::Way::to_root) raise_at(comm, flow.root, row);
  if (flow.way == Flow::Way::to_higher_ranks) raise_upwards(comm, row);
  const Guard guard(mutex_);
  learn(row);
  clocks().tick();
}

}  // namespace comex::checker
