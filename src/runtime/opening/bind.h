// COMEX_BIND: progress binds each progress rank to a core to which no worker is bound, all binds every rank
// to cores of its own.
//
// A rank that would have to share a core stays unbound, free to run anywhere, and a line says so. Collective
// over the ranks of one machine, virtual hosts or not: all see the same bindings and make the same choice.
#pragma once

#include "runtime/opening/world.h"
#include "runtime/report.h"
#include "transport/collective.h"

namespace comex::runtime {

void bind_ranks(transport::Collective& machine, const World& world, const Reporter& reporter);

}  // namespace comex::runtime
