// What COMEX_WORLD asks for. The one place where this library reads the environment: it has to know before
// the runtime starts. Words that are none of these are refused by the runtime's own start.
#pragma once

namespace comex::interpose {

enum class Mode : int { on, warn, off };

Mode mode_of_this_process();

}  // namespace comex::interpose
