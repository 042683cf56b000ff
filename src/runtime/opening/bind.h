// COMEX_BIND=progress: each progress rank binds itself to a core to which no worker is bound.
//
// If it would have to share a core, it says so and stays unbound, free to run anywhere. Collective over the
// ranks of one machine, virtual hosts or not: all see the same bindings and make the same choice.
#pragma once

#include "runtime/opening/world.h"
#include "runtime/report.h"
#include "transport/collective.h"

namespace comex::runtime {

void bind_progress_ranks(transport::Collective& machine, const World& world, const Reporter& reporter);

}  // namespace comex::runtime
