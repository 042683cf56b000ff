#include "transport/mpi_eager.h"

#include <mpi.h>

#include <algorithm>

namespace comex::transport {

namespace {

// Open MPI's limits count its own header, 56 bytes in 4.1 (measured); a little more is taken off.
constexpr std::uint64_t envelope_bytes = 64;
constexpr std::uint64_t most_bytes = 1 << 20;

// Below MPI's matching by ob1 ("pml"), each way to a peer ("btl") has its own limit. Another kind of matching
// has limits of its own, which these do not tell.
constexpr const char* matching = "pml_ob1_priority";
constexpr const char* memory_ways[] = {"btl_vader_eager_limit", "btl_sm_eager_limit"};
constexpr const char* network_ways[] = {"btl_tcp_eager_limit",   "btl_openib_eager_limit",
                                        "btl_ofi_eager_limit",   "btl_uct_eager_limit",
                                        "btl_usnic_eager_limit", "btl_ugni_eager_limit"};

template <std::size_t N>
std::uint32_t least_of(const char* const (&names)[N], const ControlVariable& variable) {
  std::uint64_t least = UINT64_MAX;
  for (const char* name : names) least = std::min(least, variable(name).value_or(UINT64_MAX));
  if (least == UINT64_MAX || least <= envelope_bytes) return 0;
  return static_cast<std::uint32_t>(std::min(least - envelope_bytes, most_bytes)) & ~15u;
}

// A session of MPI's tool interface, which any number of users may open side by side.
class ToolSession {
 public:
  ToolSession() {
    int provided = 0;
    is_open_ = MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS;
  }
  ~ToolSession() {
    if (is_open_) MPI_T_finalize();
  }
  ToolSession(const ToolSession&) = delete;
  ToolSession& operator=(const ToolSession&) = delete;

  std::optional<std::uint64_t> read(const char* name) const {
    int index = 0;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    if (!is_open_ || MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return std::nullopt;
    if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return std::nullopt;
    std::uint64_t value = 0;
    const bool is_read = count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    if (!is_read) return std::nullopt;
    return value;
  }

 private:
  bool is_open_ = false;
};

}  // namespace

EagerBytes eager_bytes_of(const ControlVariable& variable) {
  if (!variable(matching)) return {};
  EagerBytes found{least_of(memory_ways, variable), least_of(network_ways, variable)};
  if (found.within_machine == 0) found.within_machine = found.between_machines;
  return found;
}

EagerBytes read_eager_bytes() {
  const ToolSession session;
  return eager_bytes_of([&](const char* name) { return session.read(name); });
}

}  // namespace comex::transport
