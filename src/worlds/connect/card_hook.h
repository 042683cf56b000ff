// Calls the program's functions for connection data of its own, while worlds meet, as groups/joining needs.
//
// A result other than 0 becomes a failure that names the function and the process. Used by meeting.
#pragma once

#include <comex/worlds.h>

#include "groups/joining.h"

namespace comex::worlds {

groups::CardHook hook_of(const comex_card_hook_t& hook);

}  // namespace comex::worlds
