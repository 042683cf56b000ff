#include "mpi/open_mpi.h"

#include <algorithm>

#include "mpi/symbols.h"

namespace comex::mpi {
namespace {

// The limits include Open MPI's own header, 56 bytes in 4.1 (measured). This subtracts a little more.
constexpr std::uint64_t envelope_bytes = 64;
constexpr std::uint64_t most_bytes = 1 << 20;

// With matching by ob1 (a "pml"), each way to a peer (a "btl") has its own limit. Other kinds of matching
// have limits that these variables do not show.
constexpr const char* matching = "pml_ob1_priority";
constexpr const char* memory_ways[] = {"btl_vader_eager_limit", "btl_sm_eager_limit"};
constexpr const char* network_ways[] = {"btl_tcp_eager_limit",   "btl_openib_eager_limit",
                                        "btl_ofi_eager_limit",   "btl_uct_eager_limit",
                                        "btl_usnic_eager_limit", "btl_ugni_eager_limit"};

template <std::size_t N>
std::uint32_t least_of(const char* const (&names)[N], const LimitVariable& limit) {
  std::uint64_t least = UINT64_MAX;
  for (const char* name : names) least = std::min(least, limit(name).value_or(UINT64_MAX));
  if (least == UINT64_MAX || least <= envelope_bytes) return 0;
  return static_cast<std::uint32_t>(std::min(least - envelope_bytes, most_bytes)) & ~15u;
}

// Reads Open MPI's variables with the functions that its mca_base_var.h declares. The standard's way,
// MPI_T_init_thread, loads every installed component, which takes 0.2 s.
class Variables {
 public:
  bool has(const char* name) const { return index_of(name).has_value(); }

  template <class T>  // T is the type of the variable's declaration
  std::optional<T> value(const char* name) const {
    const std::optional<int> index = index_of(name);
    const T* value = nullptr;
    if (!index || get_value_ == nullptr) return std::nullopt;
    if (get_value_(*index, &value, nullptr, nullptr) != 0 || value == nullptr) return std::nullopt;
    return *value;
  }

 private:
  using FindByName = int(const char* name, int* index);
  using GetValue = int(int index, const void* place, void* source, const char** file);

  std::optional<int> index_of(const char* name) const {
    int index = -1;
    if (find_by_name_ == nullptr || find_by_name_(name, &index) != 0 || index < 0) return std::nullopt;
    return index;
  }

  FindByName* find_by_name_ = function_named<FindByName>("mca_base_var_find_by_name");
  GetValue* get_value_ = function_named<GetValue>("mca_base_var_get_value");
};

// A process that was started alone has the variables of PMIx too, once it has been in MPI_Init.
bool is_launched(const Lookup& environment) {
  if (environment("OMPI_MCA_orte_hnp_uri") || environment("OMPI_COMM_WORLD_SIZE")) return true;
  return environment("PMIX_RANK") && environment("OMPI_MCA_ess") != "singleton";
}

class OpenMpi final : public Library {
 public:
  std::string_view name() const override { return "Open MPI"; }

  LaunchedProcess launched(const Lookup& environment) const override {
    const std::string job_name = environment("PMIX_NAMESPACE").value_or("");
    LaunchedProcess told;
    told.is_launched = is_launched(environment);
    told.rank = number_in(environment, "PMIX_RANK");
    told.size = number_in(environment, "OMPI_COMM_WORLD_SIZE");
    told.size_on_host = number_in(environment, "OMPI_COMM_WORLD_LOCAL_SIZE");
    told.number_on_host = number_in(environment, "OMPI_COMM_WORLD_NODE_RANK");
    // mpirun's address (Open MPI 4). What the names of its jobs have in common (5) is a host's name and a
    // process id, which two launches in containers may share.
    told.launch = environment("OMPI_MCA_orte_hnp_uri").value_or("");
    told.job = job_of_namespace(job_name);
    told.name_server = environment("OMPI_MCA_pmix_server_uri").value_or("");
    return told;
  }

  EagerBytes eager_bytes() const override {
    const Variables variables;
    return eager_bytes_of(variables.has(matching),
                          [&](const char* name) { return variables.value<std::size_t>(name); });
  }

  YieldSwitch yield_switch() const override {
    return {function_named<bool(bool)>("opal_progress_set_yield_when_idle")};
  }

  bool ends_jobs_before_mpi() const override { return true; }

  std::string_view how_to_have_threads() const override {
    return "where the environment has OMPI_MPI_THREAD_LEVEL=3";
  }

  std::string_view how_to_share_a_name_server() const override {
    // Launches of Open MPI 5 have none: MPI is left to find the other side.
    if (function_named<int()>("orte_init") == nullptr) return "";
    return "start one (ompi-server -r FILE) and give both launches --ompi-server file:FILE";
  }

  Knowledge knowledge() const override {
    return {.eager_messages = "btl_*_eager_limit, where ob1 matches messages",
            .yields = "opal_progress_set_yield_when_idle",
            .ranks = "PMIX_RANK, OMPI_COMM_WORLD_*",
            .launches = "PMIX_NAMESPACE, OMPI_MCA_orte_hnp_uri",
            .threads = "OMPI_MPI_THREAD_LEVEL",
            .name_server = "ompi-server"};
  }
};

}  // namespace

EagerBytes eager_bytes_of(bool is_matched_by_ob1, const LimitVariable& limit) {
  if (!is_matched_by_ob1) return {};
  EagerBytes found{least_of(memory_ways, limit), least_of(network_ways, limit)};
  if (found.within_machine == 0) found.within_machine = found.between_machines;
  return found;
}

std::optional<std::uint32_t> job_of_namespace(std::string_view name) {
  const std::size_t at = name.rfind('@');
  const auto number = whole_number(at == std::string_view::npos ? name : name.substr(at + 1));
  if (!number) return std::nullopt;
  const auto job = static_cast<std::uint32_t>(at == std::string_view::npos ? *number & 0xffff : *number);
  if (job == 0) return std::nullopt;
  return job;
}

const Library& open_mpi() {
  static const OpenMpi library;
  return library;
}

}  // namespace comex::mpi
