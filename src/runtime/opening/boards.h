// What lies in the board of each rank of a host: the BoardLayout, what it does (core/activity), and its
// outbox.
//
// The outboxes collect the batches of a host's workers. The worker's progress rank pushes them; if the
// worker serves itself, its progress thread does. A worker with neither has no outbox and sends each
// operation at once. Used by whoever reads or writes a board.
#pragma once

#include <cstdint>

#include "core/activity.h"
#include "pr/pusher.h"
#include "pr/server.h"
#include "runtime/opening/world.h"

namespace comex::runtime {

// Whether a host may be given up while the others go on; then nobody has an outbox.
inline bool may_lose_hosts(const World& world) {
  return world.settings.on_failure != OnFailure::abort && world.settings.timeout_s != 0 &&
         world.share.hosts > 1;
}

// The bytes of a rank's board.
std::uint64_t board_bytes(const World& world);

// The head of the board of the rank with this slot on the host.
BoardLayout& board_of(World& world, shm::HostSlot slot);
// What the rank with this slot on the host does, and its rows behind it.
activity::Block& activity_of(World& world, shm::HostSlot slot);

// Begins the record of what this rank does; it has this rank in the wire. The arena is mapped.
activity::Recorder begin_activity(World& world, TransportRank rank);

// Writes what the server of this process has served, for those who watch.
void record_service(const activity::Recorder& into, const pr::Server& server, std::uint64_t busy_ns,
                    shm::Os& os);

shm::Outbox own_outbox(World& world);

// Makes the pusher for the outboxes of the workers that this process serves.
pr::Pusher make_pusher(World& world);

}  // namespace comex::runtime
