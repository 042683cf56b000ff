// The mode that COMEX_WORLD selects. Only here does this library read the environment, because it needs the
// mode before the runtime starts. The runtime's own start refuses unknown words.
#pragma once

namespace comex::interpose {

enum class Mode : int { on, warn, off };

Mode mode_of_this_process();

}  // namespace comex::interpose
