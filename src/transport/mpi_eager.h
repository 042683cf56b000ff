// How long a message may be that MPI sends at once, whether its receiver is ready or not, and how it moves
// longer ones within a machine: what Open MPI's own variables tell. A longer one waits for a handshake, and
// costs two trips more.
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

// The limit of this name; nothing: there is none, or what it belongs to is not in use.
using LimitVariable = std::function<std::optional<std::uint64_t>(const char* name)>;

// Pure. What several ways to a peer have in common is the least of them.
EagerBytes eager_bytes_of(bool is_matched_by_ob1, const LimitVariable& limit);

// Of this process's MPI, after MPI_Init.
EagerBytes read_eager_bytes();

}  // namespace comex::transport
