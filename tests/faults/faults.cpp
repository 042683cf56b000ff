// Decides at each step (faults.h) whether it is the point of this run, and does there what the point asks
// for.
#include "faults.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <string>
#include <string_view>

namespace {

constexpr std::array<std::string_view, fault_phases> phase_names{
    "init",     "malloc", "put_body",     "get",         "acc",   "rmw",     "lock",
    "barrier",  "fence",  "group_commit", "free",        "spawn", "connect", "disconnect",
    "finalize", "held",   "shrink",       "malloc_kept", "keep",  "recover"};

struct Errno {
  std::string_view name;
  int value;
};
constexpr std::array errors{Errno{"ENOMEM", ENOMEM}, Errno{"ENOSPC", ENOSPC}, Errno{"EMFILE", EMFILE},
                            Errno{"EINTR", EINTR}};

struct Point {  // parts of the variable's text
  std::string_view phase;
  std::string_view function;
  unsigned ordinal = 0;
  std::string_view action;
};

// Owned by the process, which is one job's one rank: set before main, but for the phase.
struct State {
  std::uintptr_t low = 0;  // where libcomex lies
  std::uintptr_t high = 0;
  fault_page* page = nullptr;
  fault_count* counts = nullptr;
  unsigned functions = 0;
  unsigned own_phase = 0;
  unsigned* end = nullptr;  // this process's in the page
  bool is_armed = false;
  Point point;
};
constinit State state;  // before constructors of any library

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

// A spawned process has the rank of another one, and so is given a name.
std::string_view mpi_rank() {
  if (const std::string_view given = variable("COMEX_TEST_FAULTS_RANK"); !given.empty()) return given;
  const std::string_view open_mpi = variable("OMPI_COMM_WORLD_RANK");
  return open_mpi.empty() ? variable("PMI_RANK") : open_mpi;
}

void* shared_file(const std::string& path, std::size_t bytes) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) std::abort();
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (base == MAP_FAILED) std::abort();
  close(file);
  return base;
}

int find_comex(dl_phdr_info* info, std::size_t, void*) {
  if (std::string_view(info->dlpi_name).find("/libcomex.so") == std::string_view::npos) return 0;
  state.low = ~std::uintptr_t{0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    state.low = std::min(state.low, static_cast<std::uintptr_t>(info->dlpi_addr + part.p_vaddr));
    state.high =
        std::max(state.high, static_cast<std::uintptr_t>(info->dlpi_addr + part.p_vaddr + part.p_memsz));
  }
  return 1;
}

// STEP:ACTION, with the step PHASE/FUNCTION#ORDINAL@RANK.
void read_point(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::size_t hash = text.find('#');
  const std::size_t at = text.find('@');
  const std::size_t colon = text.find(':');
  if (slash == text.npos || hash == text.npos || at == text.npos || colon == text.npos) std::abort();
  state.is_armed = text.substr(at + 1, colon - at - 1) == mpi_rank();
  state.point = {text.substr(0, slash), text.substr(slash + 1, hash - slash - 1),
                 static_cast<unsigned>(std::strtoul(text.data() + hash + 1, nullptr, 10)),
                 text.substr(colon + 1)};
}

// Before it, nothing is a step.
__attribute__((constructor)) void begin() {
  const std::string folder(variable("COMEX_TEST_FAULTS"));
  if (folder.empty() || mpi_rank().empty() || dl_iterate_phdr(find_comex, nullptr) == 0) return;
  state.page = static_cast<fault_page*>(shared_file(folder + "/page", sizeof(fault_page)));
  if (const std::string_view point = variable("COMEX_TEST_FAULT"); !point.empty()) read_point(point);
  const unsigned long rank = std::strtoul(mpi_rank().data(), nullptr, 10);
  if (rank < fault_ranks) {
    __atomic_store_n(&state.page->pids[rank], getpid(), __ATOMIC_RELAXED);
    state.end = &state.page->ends[rank];
  }
  state.counts = static_cast<fault_count*>(
      shared_file(folder + "/steps." + std::string(mpi_rank()), fault_functions * sizeof(fault_count)));
}

// A progress rank announces no phase after the first, so it is in that of the workers.
unsigned current_phase() {
  return state.own_phase != 0 ? state.own_phase : __atomic_load_n(&state.page->phase, __ATOMIC_RELAXED);
}

unsigned count(fault_step& step, unsigned phase) {
  int index = __atomic_load_n(&step.index, __ATOMIC_ACQUIRE);
  if (index == 0) {
    const auto mine = static_cast<int>(__atomic_add_fetch(&state.functions, 1, __ATOMIC_RELAXED));
    if (mine > fault_functions) std::abort();
    if (__atomic_compare_exchange_n(&step.index, &index, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      std::snprintf(state.counts[mine - 1].name, fault_name_bytes, "%s", step.name);
      index = mine;
    }
  }
  return __atomic_add_fetch(&state.counts[index - 1].in_phase[phase], 1, __ATOMIC_RELAXED);
}

int fail_mpi(const fault_step& step, const long* words, long* result) {
  if (step.place >= 0) {  // as MPI does: the handler that ends jobs does not return
    MPI_Comm comm = MPI_COMM_NULL;
    std::memcpy(&comm, &words[step.place], sizeof comm);
    const std::string_view called(step.name);
    const bool is_inherited = called == "PMPI_Comm_set_errhandler" || called == "PMPI_Comm_get_errhandler";
    if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF || is_inherited) state.page->is_of_program = 1;
    PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  }
  *result = MPI_ERR_OTHER;
  return 1;
}

template <class F>
void for_each_other_to_kill(F&& f) {
  const char* list = variable("COMEX_TEST_FAULT_KILLS").data();
  while (list != nullptr && *list != '\0') {
    char* end = nullptr;
    const unsigned long rank = std::strtoul(list, &end, 10);
    const int other = __atomic_load_n(&state.page->pids[rank], __ATOMIC_RELAXED);
    if (other != 0 && other != getpid()) f(other, &state.page->ends[rank]);
    list = *end == '\0' ? end : end + 1;
  }
}

// One that makes no step for 0.2 s waits or computes, and dies there.
void kill_with_others() {
  constexpr timespec moment{0, 1'000'000};
  for_each_other_to_kill([](int, unsigned* end) { __atomic_store_n(end, asked_to_end, __ATOMIC_SEQ_CST); });
  for_each_other_to_kill([&](int other, const unsigned* end) {
    for (int i = 0; i < 200 && __atomic_load_n(end, __ATOMIC_SEQ_CST) != is_ending; ++i)
      nanosleep(&moment, nullptr);
    kill(other, SIGKILL);
  });
  kill(getpid(), SIGKILL);
}

void end_if_asked() {
  if (state.end == nullptr || __atomic_load_n(state.end, __ATOMIC_RELAXED) == goes_on) return;
  __atomic_store_n(state.end, is_ending, __ATOMIC_SEQ_CST);
  kill(getpid(), SIGKILL);
}

int act(const fault_step& step, long* words, long* result) {
  const std::string_view action = state.point.action;
  if (action == "kill") kill_with_others();
  if (action == "stop") {
    kill(getpid(), SIGSTOP);
    return 0;
  }
  if (action == "short") {
    if (step.kind == returns_minus_one && step.place >= 0) words[step.place] = (words[step.place] + 1) / 2;
    return 0;
  }
  if (action == "mpi") return fail_mpi(step, words, result);
  const auto* const error =
      std::find_if(errors.begin(), errors.end(), [&](const Errno& each) { return each.name == action; });
  if (error == errors.end()) std::abort();
  *result = step.kind == returns_code ? error->value : -1;
  if (step.kind == returns_minus_one) errno = error->value;
  return 1;
}

int pass(fault_step* step, long* words, long* result) {
  end_if_asked();
  const unsigned phase = current_phase();
  const unsigned ordinal = count(*step, phase);
  if (!state.is_armed || ordinal != state.point.ordinal || state.point.function != step->name ||
      state.point.phase != phase_names[phase])
    return 0;
  state.is_armed = false;
  __atomic_store_n(&state.page->is_hit, 1u, __ATOMIC_SEQ_CST);
  return act(*step, words, result);
}

}  // namespace

extern "C" {

int fault_at_step(fault_step* step, const void* caller, long* words, long* result) {
  const auto from = reinterpret_cast<std::uintptr_t>(caller);
  return state.counts != nullptr && from >= state.low && from < state.high ? pass(step, words, result) : 0;
}

fault_call* fault_real(fault_step* step) {
  fault_call* real = __atomic_load_n(&step->real, __ATOMIC_ACQUIRE);
  if (real == nullptr) {
    real = reinterpret_cast<fault_call*>(dlsym(RTLD_NEXT, step->name));
    if (real == nullptr) std::abort();
    __atomic_store_n(&step->real, real, __ATOMIC_RELEASE);
  }
  return real;
}

__attribute__((visibility("default"))) void comex_test_phase(const char* name) {
  if (state.counts == nullptr) return;
  const auto found = std::find(phase_names.begin(), phase_names.end(), name);
  if (found == phase_names.end()) std::abort();
  state.own_phase = static_cast<unsigned>(std::distance(phase_names.begin(), found));
  __atomic_store_n(&state.page->phase, state.own_phase, __ATOMIC_RELAXED);
  static fault_step begins{"begins", returns_code, -1, nullptr, 0};
  long nothing[fault_words] = {};
  long result = 0;
  pass(&begins, nothing, &result);
}
}
