#include "interpose/world.h"

#include <comex.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

extern "C" void pmpi_init_(MPI_Fint* ierror) __attribute__((weak));

namespace comex::interpose {
namespace {

enum class Mode : int { on, warn, off };

bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char left, char right) { return (left | ' ') == right; });
}

// Only here does this library read the environment, because it needs the mode before the runtime starts. The
// runtime's own start refuses unknown words.
Mode mode_of_this_process() {
  const char* text = std::getenv("COMEX_WORLD");
  if (text == nullptr) return Mode::on;
  if (is_word(text, "warn")) return Mode::warn;
  return is_word(text, "off") ? Mode::off : Mode::on;
}

// Written once, before it is published.
struct Handles {
  MPI_Comm workers = MPI_COMM_NULL;  // null: MPI_COMM_WORLD stays
  bool is_borrowed = false;          // the runtime's own communicator, which ends when it finalizes
};

struct ProcessState {
  std::atomic<bool> has_begun{false};
  std::atomic<Mode> mode{mode_of_this_process()};
  std::atomic<const Handles*> handles{nullptr};
  std::mutex mutex;                   // guards what follows
  std::set<const void*> told_places;  // of COMEX_WORLD=warn
};

ProcessState& state() {
  static ProcessState* self = new ProcessState;  // never destroyed: exit handlers call MPI
  return *self;
}

// In place of what is known so far. Earlier handles stay, since other threads may be reading them.
const Handles* publish(MPI_Comm workers, bool is_borrowed, const Handles* known = nullptr) {
  auto* made = new Handles{workers, is_borrowed};
  if (state().handles.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
  delete made;
  return known;
}

// For a program that did not call MPI_Init here: comex_init started MPI, or other code did. Each life of the
// runtime lends its own communicator.
const Handles* late_handles(const Handles* known) {
  int started = 0;
  PMPI_Initialized(&started);
  if (started == 0) return nullptr;
  if (state().mode.load(std::memory_order_relaxed) != Mode::on) return publish(MPI_COMM_NULL, false);
  MPI_Comm workers = MPI_COMM_NULL;
  if (comex_initialized() == 0 || comex_group_comm(COMEX_GROUP_WORLD, &workers) != COMEX_SUCCESS)
    return nullptr;
  if (known != nullptr && known->workers == workers) return known;
  PMPI_Comm_set_name(workers, "MPI_COMM_WORLD");
  return publish(workers, true, known);
}

// Null: nothing is replaced yet.
const Handles* handles() {
  const Handles* known = state().handles.load(std::memory_order_acquire);
  return known != nullptr && !known->is_borrowed ? known : late_handles(known);
}

// Null: MPI_COMM_WORLD stays.
MPI_Comm workers_now() {
  const Handles* known = handles();
  return known == nullptr ? MPI_COMM_NULL : known->workers;
}

// Its file, symbol and offset; "an unknown place" if that cannot be found.
std::string describe(const void* address) {
  void* place = const_cast<void*>(address);
  char** described = backtrace_symbols(&place, 1);
  std::string text = described == nullptr ? "an unknown place" : described[0];
  std::free(described);
  return text;
}

std::string file_of(const std::string& described) {
  return described.substr(0, described.find('('));
}

// MPI's routines of Fortran may call those of C, from a file of MPI's own. If that file is the program, it
// holds MPI, and its places count.
bool is_inside_mpi(const std::string& described) {
  if (pmpi_init_ == nullptr) return false;
  const std::string mpi = file_of(describe(reinterpret_cast<const void*>(pmpi_init_)));
  return mpi == file_of(described) && mpi != program_invocation_name;
}

int world_rank() {
  int rank = -1, started = 0, ended = 0;
  PMPI_Initialized(&started);
  PMPI_Finalized(&ended);
  if (started != 0 && ended == 0) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// COMEX_WORLD=warn: prints one line for each place in the program that uses MPI_COMM_WORLD, once in a
// process.
void warn(const char* call, const void* caller) {
  if (state().mode.load(std::memory_order_relaxed) != Mode::warn) return;
  {
    const std::lock_guard lock(state().mutex);
    if (!state().told_places.insert(caller).second) return;
  }
  // The return address may lie behind the caller's last instruction; one byte before it is the call.
  const std::string place = describe(static_cast<const char*>(caller) - 1);
  if (is_inside_mpi(place)) return;
  std::fprintf(stderr,
               "comex: rank %d: %s was given MPI_COMM_WORLD, which holds the progress ranks too, at %s\n",
               world_rank(), call, place.c_str());
}

// All ranks use the mode of rank 0, because the environment may not have reached the others.
Mode agree_on_mode() {
  int mode = static_cast<int>(mode_of_this_process());
  PMPI_Bcast(&mode, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return static_cast<Mode>(mode);
}

// A communicator of this library's own. It outlives comex_finalize and has the program's attributes, name and
// error handler.
MPI_Comm make_workers() {
  MPI_Comm lent = MPI_COMM_NULL;
  MPI_Comm workers = MPI_COMM_NULL;
  if (comex_group_comm(COMEX_GROUP_WORLD, &lent) != COMEX_SUCCESS) return MPI_COMM_NULL;
  if (PMPI_Comm_dup(lent, &workers) != MPI_SUCCESS) return MPI_COMM_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  PMPI_Comm_set_errhandler(workers, handler);
  PMPI_Errhandler_free(&handler);
  PMPI_Comm_set_name(workers, "MPI_COMM_WORLD");
  // Another copy of the runtime, inside the program, looks for this name. Otherwise its init would wait for
  // the progress ranks.
  PMPI_Comm_set_name(MPI_COMM_WORLD, "MPI_COMM_WORLD, split by libcomex_world");
  return workers;
}

bool is_predefined(int keyval) {
  const std::array keys = {MPI_TAG_UB,        MPI_HOST,   MPI_IO,          MPI_WTIME_IS_GLOBAL,
                           MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE};
  return std::ranges::find(keys, keyval) != keys.end();
}

}  // namespace

bool wants_threads() {
  return thread_level(MPI_THREAD_SINGLE) == MPI_THREAD_MULTIPLE;
}

int thread_level(int required) {
  return mode_of_this_process() == Mode::on ? std::max(required, comex_thread_level()) : required;
}

void* fortran_thread_level(void* required) {
  static const std::array<MPI_Fint, 4> levels = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED,
                                                 MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  const int asked = *static_cast<const MPI_Fint*>(required);
  const auto wanted = std::ranges::find(levels, thread_level(asked));
  // MPI only reads it, but Fortran's interfaces have no const.
  return wanted == levels.end() || *wanted == asked ? required : const_cast<MPI_Fint*>(&*wanted);
}

// MPI_Init has no argument for the level, and is otherwise MPI_Init_thread. A setting of the user's, which
// only MPI_Init may read, counts where no threads are wanted.
int start_mpi(int* argc, char*** argv) {
  int provided = 0;
  if (!wants_threads()) return PMPI_Init(argc, argv);
  return PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
}

int begin(int result) {
  if (result != MPI_SUCCESS || state().has_begun.exchange(true)) return result;
  const Mode mode = agree_on_mode();
  state().mode.store(mode, std::memory_order_relaxed);
  if (mode != Mode::on) {
    publish(MPI_COMM_NULL, false);
    return result;
  }
  if (comex_init() != COMEX_SUCCESS) return MPI_ERR_OTHER;
  const MPI_Comm workers = make_workers();
  if (workers == MPI_COMM_NULL) return MPI_ERR_OTHER;
  publish(workers, false);
  return result;
}

void fortran_begin(MPI_Fint* ierror) {
  const int result = begin(MPI_SUCCESS);
  if (result != MPI_SUCCESS && ierror != nullptr) *ierror = result;
}

MPI_Comm workers_for(MPI_Comm comm, const char* call, const void* caller) {
  if (comm != MPI_COMM_WORLD) return comm;
  warn(call, caller);
  const MPI_Comm workers = workers_now();
  return workers == MPI_COMM_NULL ? comm : workers;
}

// A key of Fortran that differs from that of C is taken for the program's own. An MPI that has such keys
// gives its own attributes to every communicator.
MPI_Comm attribute_home(MPI_Comm comm, int keyval, const char* call, const void* caller) {
  if (!is_predefined(keyval)) return workers_for(comm, call, caller);
  return comm != MPI_COMM_NULL && workers_now() != MPI_COMM_NULL ? MPI_COMM_WORLD : comm;
}

int keep_workers(MPI_Group* group) {
  const MPI_Comm comm = workers_now();
  if (comm == MPI_COMM_NULL) return MPI_SUCCESS;
  MPI_Group workers = MPI_GROUP_NULL;
  MPI_Group both = MPI_GROUP_NULL;
  int result = PMPI_Comm_group(comm, &workers);
  if (result == MPI_SUCCESS) result = PMPI_Group_intersection(*group, workers, &both);
  if (workers != MPI_GROUP_NULL) PMPI_Group_free(&workers);
  if (result != MPI_SUCCESS) return result;
  result = PMPI_Group_free(group);
  *group = both;
  return result;
}

MPI_Fint fortran_keep_workers(void* group) {
  auto* const place = static_cast<MPI_Fint*>(group);
  MPI_Group handle = PMPI_Group_f2c(*place);
  const int result = keep_workers(&handle);
  *place = PMPI_Group_c2f(handle);
  return result;
}

bool stands_for_world(MPI_Comm comm) {
  return comm == MPI_COMM_WORLD && workers_now() != MPI_COMM_NULL;
}

void require(const void* function, const char* name) {
  if (function != nullptr) return;
  std::fprintf(
      stderr, "comex: libcomex_world finds no %s; load the MPI library that has it with the program\n", name);
  std::abort();
}

}  // namespace comex::interpose
