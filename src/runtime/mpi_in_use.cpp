#include "runtime/mpi_in_use.h"

#include <mpi.h>

#include <array>

#include "runtime/environment.h"

namespace comex::runtime {
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
