#include "runtime/environment.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace comex::runtime {

Lookup environment_lookup() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

std::vector<std::string> environment_names() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

void call_in_forked_children(void (*call)()) {
  pthread_atfork(nullptr, nullptr, call);
}

std::string file_of(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "an unknown file";
}

bool is_stderr_unread() {
  struct stat status {};
  int unread = 0;
  return ::fstat(STDERR_FILENO, &status) == 0 && S_ISFIFO(status.st_mode) &&
         ::ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread != 0;
}

namespace {

// A wrong value is reported when the world opens; until then nothing is taken as known.
MpiKnowledge wanted_knowledge() {
  const Result<Settings> settings = parse_settings(environment_lookup());
  return settings ? settings->mpi_knowledge : MpiKnowledge::none;
}

}  // namespace

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;  // some count the zero at the end as well
  PMPI_Get_library_version(text.data(), &length);
  const std::string version(text.data());
  return version.substr(0, version.find('\n'));
}

std::string mpi_name_and_number() {
  const std::string version = mpi_version();
  return version.substr(0, version.find(','));
}

const mpi::Library& mpi_in_use() {
  static const mpi::Library& library = mpi::library_of(mpi_version(), wanted_knowledge());
  return library;
}

mpi::LaunchedProcess launched_process() {
  return mpi_in_use().launched(environment_lookup());
}

}  // namespace comex::runtime
