#include "transport/mpi_eager.h"

#include <algorithm>

#include "transport/mpi_library.h"

namespace comex::transport {

namespace {

// Open MPI's limits include its own header, 56 bytes in 4.1 (measured). This subtracts a little more.
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
class OpenMpiVariables {
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

  FindByName* find_by_name_ = in_mpi<FindByName>("mca_base_var_find_by_name");
  GetValue* get_value_ = in_mpi<GetValue>("mca_base_var_get_value");
};

}  // namespace

EagerBytes eager_bytes_of(bool is_matched_by_ob1, const LimitVariable& limit) {
  if (!is_matched_by_ob1) return {};
  EagerBytes found{least_of(memory_ways, limit), least_of(network_ways, limit)};
  if (found.within_machine == 0) found.within_machine = found.between_machines;
  return found;
}

EagerBytes read_eager_bytes() {
  const OpenMpiVariables variables;
  return eager_bytes_of(variables.has(matching),
                        [&](const char* name) { return variables.value<std::size_t>(name); });
}

}  // namespace comex::transport
