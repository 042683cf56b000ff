// COMEX_BIND=progress: each progress rank binds itself to a core that no worker is bound to; where it would
// have to share one it says so and stays unbound, free to go where there is room.
//
// Collective over the ranks of one machine, virtual hosts or not: they see the same bindings and make the
// same choice.
#pragma once

#include "runtime/opening/world.h"
#include "runtime/report.h"
#include "transport/collective.h"

namespace comex::runtime {

void bind_progress_ranks(transport::Collective& machine, const World& world, const Reporter& reporter);

}  // namespace comex::runtime
