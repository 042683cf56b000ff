// MPICH and its relatives: started by hydra, or by another manager that speaks PMI.
#include "mpi/library.h"

namespace comex::mpi {
namespace {

class Mpich final : public Library {
 public:
  std::string_view name() const override { return "MPICH"; }

  LaunchedProcess launched(const Lookup& environment) const override {
    LaunchedProcess told;
    told.rank = number_in(environment, "PMI_RANK");
    told.size = number_in(environment, "PMI_SIZE");
    told.size_on_host = number_in(environment, "MPI_LOCALNRANKS");
    told.is_launched = told.rank || environment("PMIX_RANK") || environment("SLURM_PROCID");
    return told;
  }

  std::string_view how_to_have_threads() const override {
    return "where the environment has MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE";
  }

  Knowledge knowledge() const override {
    return {.ranks = "PMI_RANK, PMI_SIZE, MPI_LOCALNRANKS",
            .threads = "MPIR_CVAR_DEFAULT_THREAD_LEVEL",
            .name_server = "none is needed"};
  }
};

}  // namespace

const Library& mpich() {
  static const Mpich library;
  return library;
}

}  // namespace comex::mpi
