// Where the batches of a host's workers collect, and which process sends them.
//
// An outbox lies behind the BoardLayout in its worker's board. The progress rank of a worker pushes it; if
// the worker serves itself, its progress thread does. A worker with neither has no outbox and sends each
// operation at once. Used by world (for the room), runtime and serve.
#pragma once

#include <cstdint>

#include "pr/pusher.h"
#include "runtime/opening/world.h"

namespace comex::runtime {

// The bytes of a worker's board.
std::uint64_t board_bytes(const World& world);

shm::Outbox own_outbox(World& world);

// Makes the pusher for the outboxes of the workers that this process serves.
pr::Pusher make_pusher(World& world);

}  // namespace comex::runtime
