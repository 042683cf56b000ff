// Finds, from Open MPI's own variables, how long a message may be that MPI sends at once, even if its
// receiver is not ready. A longer message waits for a handshake, which costs two more trips.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace comex::transport {

// The longest such message in bytes, a multiple of 16; 0: not known.
struct EagerBytes {
  std::uint32_t within_machine = 0;
  std::uint32_t between_machines = 0;
  friend bool operator==(const EagerBytes&, const EagerBytes&) = default;
};

// Returns the limit of this name; none if it does not exist or its component is not in use.
using LimitVariable = std::function<std::optional<std::uint64_t>(const char* name)>;

// A pure function. If there are several ways to a peer, their smallest limit counts.
EagerBytes eager_bytes_of(bool is_matched_by_ob1, const LimitVariable& limit);

// For this process's MPI; call it after MPI_Init.
EagerBytes read_eager_bytes();

}  // namespace comex::transport
