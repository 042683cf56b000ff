// The calls for start and end, errors and the version.
#include "runtime/call.h"
#include "worlds/joined_worlds.h"

using namespace comex;

int comex_init(void) {
  return runtime::initialize(worlds::joiner, MPI_COMM_NULL, nullptr, nullptr);
}

int comex_init_args(int* argc, char*** argv) {
  return runtime::initialize(worlds::joiner, MPI_COMM_NULL, argc, argv);
}

int comex_init_comm(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    return runtime::introduced_reporter().fail({.operation = "init_comm"},
                                               "the communicator is MPI_COMM_NULL");
  }
  int is_inter = 0;
  if (runtime::mpi_is_running()) PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) {
    return runtime::introduced_reporter().fail(
        {.operation = "init_comm"},
        "the communicator has two sides; a world is made of one, as by MPI_Intercomm_merge");
  }
  return runtime::initialize(worlds::joiner, comm, nullptr, nullptr);
}

int comex_finalize(void) {
  return runtime::finalize();
}

int comex_initialized(void) {
  return runtime::pass() != nullptr ? 1 : 0;
}

void comex_error(const char* msg, int code) {
  runtime::introduced_reporter().fatal({.operation = "error"},
                                       (msg == nullptr ? std::string("no message") : std::string(msg)) +
                                           " (code " + std::to_string(code) + ")",
                                       code);
}

int comex_set_errors(int mode) {
  runtime::Process& self = runtime::process();
  runtime::Runtime* runtime = runtime::pass();
  if (mode != COMEX_ERRORS_ABORT && mode != COMEX_ERRORS_RETURN) {
    return runtime::introduced_reporter().fail(
        {.operation = "set_errors"}, "the mode " + std::to_string(mode) +
                                         " is unknown; COMEX_ERRORS_ABORT is 0, COMEX_ERRORS_RETURN is 1");
  }
  self.reporter.set_returns(mode == COMEX_ERRORS_RETURN);
  if (runtime != nullptr) runtime->set_errors_return(mode == COMEX_ERRORS_RETURN);
  return COMEX_SUCCESS;
}

const char* comex_error_text(void) {
  runtime::pass();
  return runtime::Reporter::take_failure_line();
}

int comex_get_errors(int* mode) {
  runtime::pass();
  if (mode == nullptr) {
    return runtime::introduced_reporter().fail({.operation = "get_errors"},
                                               "the place for the result is null");
  }
  *mode = runtime::process().reporter.returns() ? COMEX_ERRORS_RETURN : COMEX_ERRORS_ABORT;
  return COMEX_SUCCESS;
}

int comex_version(int* major, int* minor, int* patch) {
  runtime::pass();
  if (major != nullptr) *major = COMEX_VERSION_MAJOR;
  if (minor != nullptr) *minor = COMEX_VERSION_MINOR;
  if (patch != nullptr) *patch = COMEX_VERSION_PATCH;
  return COMEX_SUCCESS;
}

int comex_thread_level(void) {
  runtime::pass();
  return runtime::wanted_thread_level();
}
