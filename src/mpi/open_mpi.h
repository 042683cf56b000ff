// The parts of what is known of Open MPI that are pure, for their tests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "mpi/library.h"

namespace comex::mpi {

// Returns the limit of this name; none if it does not exist or its component is not in use.
using LimitVariable = std::function<std::optional<std::uint64_t>(const char* name)>;

// If there are several ways to a peer, their smallest limit counts.
EagerBytes eager_bytes_of(bool is_matched_by_ob1, const LimitVariable& limit);

// Reads the launcher's name of a job: a number whose lower half counts the jobs of the launch (Open MPI 4),
// or a text that ends in @ and this count (Open MPI 5). Empty: neither.
std::optional<std::uint32_t> job_of_namespace(std::string_view name);

}  // namespace comex::mpi
