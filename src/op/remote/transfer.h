// One message that awaits a reply or whose body is under way. It holds one reply slot.
//
// Transfers makes, moves and ends transfers, and pools them; the replies find them by their slot.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/protocol.h"
#include "op/near_side.h"
#include "op/remote/request.h"
#include "transport/chunk_ring.h"

namespace comex::op::remote {

struct Transfer {
  Request* request = nullptr;
  std::uint32_t slot = 0;
  std::uint32_t chunk_bytes = 0;
  protocol::Verb verb{};
  bool refused = false;  // an empty chunk or the refusal itself has come
  bool refusal_told = false;
  bool has_body = false;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  NearSide near;
  transport::ChunkRing<std::byte*> chunks;              // of the body; the room is in one of the buffers
  std::byte* buffers[protocol::chunks_in_flight] = {};  // for staging; one takes as many chunks as fit

  Channel& channel() const { return *request->channel; }
};

}  // namespace comex::op::remote
