// Whether the copies of members.h are as large as what they stand for. Nothing of it is called: it compiles,
// or a struct has changed without the model.
#include "members.h"

#include <utility>

#include "runtime/opening/directory.h"
#include "runtime/opening/world.h"
#include "runtime/runtime.h"

namespace comex::model {

static_assert(sizeof(HostRow) == sizeof(runtime::HostRow));
static_assert(sizeof(GroupExtras) == sizeof(runtime::GroupExtras));
static_assert(board_bytes == runtime::board_layout_bytes);
static_assert(sizeof(Maximum) == sizeof(std::declval<op::GroupCollective&>().all_max(std::uint64_t{})));

}  // namespace comex::model
