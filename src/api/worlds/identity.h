// Gives a world its number, its launch and its nonce, and writes down what each of its workers is.
//
// Both are collective over the wire, as one world opens: first the names, which the arena needs, then the
// rows, which need the places of the workers. Called by open_world.
#pragma once

#include "api/world.h"
#include "transport/collective.h"

namespace comex::api {

void name_world(transport::Collective& all, World& world);
void describe_world(World& world);

}  // namespace comex::api
