#include "runtime/opening/eager.h"

#include <algorithm>

namespace comex::runtime {

std::uint32_t eager_bytes(std::int64_t wanted, const mpi::EagerBytes& known, bool spans_machines) {
  constexpr std::int64_t most = 1 << 20;
  const std::uint32_t told = spans_machines ? known.between_machines : known.within_machine;
  if (wanted < 0) return told;
  const std::uint32_t set = static_cast<std::uint32_t>(std::min(wanted, most)) & ~15u;
  return told == 0 ? set : std::min(set, told);
}

op::Sizes wire_sizes(const World& world, TransportRank ranks) {
  op::Sizes sizes = op::sizes_on_wire(world.settings.effective_chunk_bytes(), ranks,
                                      static_cast<std::uint64_t>(world.settings.staging_reserve));
  sizes.eager_bytes = eager_bytes(world.settings.eager_threshold, world.eager, world.spans_machines);
  return sizes;
}

transport::Bundles bundles_on_wire(const op::Sizes& sizes, const mpi::EagerBytes& told, bool spans_machines,
                                   bool is_worker) {
  return {.are_taken = spans_machines && sizes.message_bytes == protocol::message_bytes,
          .are_sent = std::min(sizes.eager_bytes, told.between_machines) >= protocol::bundle_bytes,
          .are_answered = !is_worker};
}

}  // namespace comex::runtime
