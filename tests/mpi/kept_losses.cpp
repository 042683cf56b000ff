// A computation over kept memory loses a host in mid-run, goes on, and has the bits of an undisturbed run.
//
// Usage: kept_losses PHASES [HOSTS DEATH...]
// The ranks are on HOSTS hosts, in blocks of one size. The deaths are of the last host, the one before, and
// so on. N: all ranks of the host die in phase N; Nw: its first worker alone; r: the same, while others
// recover.
//
// Each phase makes the next of three arrays from the one before: puts and plain stores, then accumulates,
// each element by one worker. Rank 0 of those who are left prints "kept_losses: hash H", and each a line that
// ends with "ok".
#include <comex/worlds.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t count = 20'000;   // doubles of a part
constexpr std::size_t acc_count = 400;  // of one accumulate
constexpr std::size_t part_bytes = count * sizeof(double);
using Row = std::vector<double>;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "kept_losses: %s\n", what);
  std::fflush(nullptr);
  std::raise(SIGKILL);
}

// False after a death, of which the caller has to make the best.
bool lives(int code, const char* what) {
  require(code == COMEX_SUCCESS || code == COMEX_PROC_FAILED, what);
  return code == COMEX_SUCCESS;
}

struct Array {
  std::vector<void*> parts;
  std::vector<int> homes;

  int rank = 0;  // this worker's among the homes

  // The address by which this worker names the array.
  void* first() const {
    const auto found = std::ranges::find(homes, rank);
    return found == homes.end() ? nullptr : parts[static_cast<std::size_t>(found - homes.begin())];
  }
  double* at(int part) const { return static_cast<double*>(parts[static_cast<std::size_t>(part)]); }
  int home(int part) const { return homes[static_cast<std::size_t>(part)]; }
};

// When this worker dies, and whom it takes along. MPI's own queues may be broken by who dies in the middle of
// a message, so the others of its host only wait for their end by then.
struct Death {
  int phase = -1;
  bool while_recovering = false;
  bool waits = false;
  std::vector<int> pids;

  void come() const {
    if (waits) sleep(60);
    usleep(300'000);
    for (const int pid : pids) {
      if (pid != getpid()) kill(pid, SIGKILL);
    }
    std::raise(SIGKILL);
  }
};

class Computation {
 public:
  explicit Computation(int copies) {
    rename();
    parts_ = size_;
    for (Array& array : arrays_) {
      array.rank = me_;
      array.parts.resize(static_cast<std::size_t>(parts_));
      for (int part = 0; part < parts_; ++part) array.homes.push_back(part);
      require(comex_malloc_kept(array.parts.data(), part_bytes, copies, group_) == COMEX_SUCCESS,
              "malloc_kept");
      for (std::size_t i = 0; i < count; ++i)
        array.at(me_)[i] = static_cast<double>((i * 131 + static_cast<std::size_t>(me_) * 17) % 1009) / 7;
      require(comex_keep(array.at(me_)) == COMEX_SUCCESS, "keep");
    }
    require(comex_barrier(group_) == COMEX_SUCCESS, "the first barrier");
  }

  void run(int phases, const Death& death) {
    death_ = death;
    while (phase_ < phases) {
      if (step()) {
        ++phase_;
      } else {
        go_on();
      }
    }
  }

  // Of all parts, on rank 0.
  std::uint64_t hash() {
    std::uint64_t all = 14695981039346656037U;
    for (int part = 0; part < parts_; ++part) {
      const Row row = get(arrays_[static_cast<std::size_t>(phase_ % 3)], part);
      const auto* bytes = reinterpret_cast<const unsigned char*>(row.data());
      for (std::size_t i = 0; i < part_bytes; ++i) all = (all ^ bytes[i]) * 1099511628211U;
    }
    return all;
  }
  int rank() const { return me_; }
  comex_group_t group() const { return group_; }

 private:
  void rename() {
    comex_group_rank(group_, &me_);
    comex_group_size(group_, &size_);
  }
  Row get(const Array& from, int part) {
    Row row(count);
    is_whole_ &= lives(comex_get_x(from.at(part), row.data(), part_bytes, from.home(part), group_), "get_x");
    return row;
  }

  bool step() {
    const Array& from = arrays_[static_cast<std::size_t>(phase_ % 3)];
    const Array& to = arrays_[static_cast<std::size_t>((phase_ + 1) % 3)];
    is_whole_ = true;
    std::vector<Row> mine;
    for (int part = 0; part < parts_; ++part) {
      if (from.home(part) != me_) continue;
      const Row near = get(from, (part + 1) % parts_);
      Row row = get(from, part);
      for (std::size_t i = 0; i < count; ++i)
        row[i] = 0.4 * row[i] + 0.3 * near[(7 * i + 1) % count] + phase_;
      if ((part + phase_) % 2 == 0 && to.home(part) == me_) {
        std::ranges::copy(row, to.at(part));
        is_whole_ &= lives(comex_keep(to.at(part)), "keep");
      } else {
        is_whole_ &= lives(comex_put_x(row.data(), to.at(part), part_bytes, to.home(part), group_), "put_x");
      }
      mine.push_back(std::move(row));
    }
    if (!is_whole_ || !lives(comex_barrier(group_), "barrier")) return false;
    if (death_.phase == phase_) death_.come();
    std::size_t next = 0;
    for (int part = 0; part < parts_; ++part) {
      if (from.home(part) != me_) continue;
      const int there = (part + 1) % parts_;
      const double scale = 0.2;
      const Row& row = mine[next++];
      // By small messages, since MPICH ends a process that receives a body from one that dies.
      for (std::size_t i = 0; i < count; i += acc_count) {
        is_whole_ &= lives(comex_acc_x(COMEX_ACC_DBL, &scale, &row[i], to.at(there) + i,
                                       acc_count * sizeof(double), to.home(there), group_),
                           "acc_x");
      }
    }
    return lives(comex_barrier(group_), "barrier") && is_whole_;
  }

  // Some may have been told of the death a phase later than others.
  void go_on() {
    comex_fence_all(COMEX_GROUP_WORLD);  // tells of the writes to the lost host; else finalize does
    for (bool is_over = false; !is_over;) {
      require(comex_group_shrink(group_, &group_) == COMEX_SUCCESS, "shrink");
      rename();
      MPI_Comm comm = MPI_COMM_NULL;
      require(comex_group_comm(group_, &comm) == COMEX_SUCCESS, "comm");
      MPI_Allreduce(MPI_IN_PLACE, &phase_, 1, MPI_INT, MPI_MIN, comm);
      is_over = true;
      for (Array& array : arrays_) {
        if (is_over) is_over = recover(array);
        if (death_.while_recovering) death_.come();
      }
    }
  }

  bool recover(Array& array) {
    if (!lives(comex_recover(array.first(), group_, array.parts.data(), array.homes.data()), "recover"))
      return false;
    array.rank = me_;
    return true;
  }

  comex_group_t group_ = COMEX_GROUP_WORLD;
  int me_ = 0;
  int size_ = 0;
  int parts_ = 0;
  int phase_ = 0;
  bool is_whole_ = true;
  Death death_;
  std::array<Array, 3> arrays_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> pids(static_cast<std::size_t>(ranks));
  int pid = getpid();
  MPI_Allgather(&pid, 1, MPI_INT, pids.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const int hosts = argc > 2 ? std::atoi(argv[2]) : 1;
  const int each = ranks / hosts;
  const int host = rank / each;
  Death death;
  for (int i = 3; i < argc; ++i) {
    const std::string_view when = argv[i];
    const bool is_alone = when == "r" || when.ends_with('w');
    if (host != hosts - 1 - (i - 3) || (is_alone && rank % each != 0)) continue;
    death.waits = rank % each != 0;
    death.while_recovering = when == "r";
    if (when != "r") death.phase = std::atoi(argv[i]);
    if (!is_alone) death.pids.assign(pids.begin() + host * each, pids.begin() + (host + 1) * each);
  }

  require(comex_init() == COMEX_SUCCESS, "init");
  {
    const char* const copies = std::getenv("COMEX_TEST_COPIES");  // 1 otherwise
    Computation computation(copies == nullptr ? 1 : std::atoi(copies));
    computation.run(std::atoi(argv[1]), death);
    if (computation.rank() == 0)
      std::printf("kept_losses: hash %016llx\n", static_cast<unsigned long long>(computation.hash()));
    require(comex_barrier(computation.group()) == COMEX_SUCCESS, "the last barrier");
  }
  require(comex_finalize() == COMEX_SUCCESS, "finalize");
  std::printf("rank %d ok\n", rank);
  std::fflush(nullptr);
  MPI_Finalize();
}
