// Where the batches of a host's workers collect, and who pushes them.
//
// An outbox lies behind the BoardLayout in its worker's board. A worker with a progress rank is pushed by
// it; one that serves itself, by its progress thread; one that has neither gets no outbox and sends each
// operation at once. Used by world (room), runtime and serve.
#pragma once

#include <cstdint>

#include "pr/pusher.h"
#include "runtime/opening/world.h"

namespace comex::runtime {

// Bytes of a worker's board.
std::uint64_t board_bytes(const World& world);

shm::Outbox own_outbox(World& world);

// For the outboxes of the workers whom this process serves.
pr::Pusher make_pusher(World& world);

}  // namespace comex::runtime
