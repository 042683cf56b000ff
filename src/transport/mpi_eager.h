// How long a message may be that MPI sends at once, whether its receiver is ready or not: what Open MPI's own
// control variables tell. A longer one waits for a handshake, and costs two trips more.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace comex::transport {

// Bytes of such a message, a multiple of 16; 0: not known.
struct EagerBytes {
  std::uint32_t within_machine = 0;
  std::uint32_t between_machines = 0;
  friend bool operator==(const EagerBytes&, const EagerBytes&) = default;
};

// The value of a control variable of this name; nothing: there is none, or what it belongs to is not in use.
using ControlVariable = std::function<std::optional<std::uint64_t>(const char* name)>;

// Pure. What several ways to a peer have in common is the least of them.
EagerBytes eager_bytes_of(const ControlVariable& variable);

// Of this process's MPI, after MPI_Init.
EagerBytes read_eager_bytes();

}  // namespace comex::transport
