// Whether the copies of members.h are as large as what they stand for. Nothing of it is called: it compiles,
// or a struct has changed without the model.
#include "members.h"

#include <utility>

#include "api/directory.h"
#include "api/runtime.h"
#include "api/world.h"

namespace comex::model {

static_assert(sizeof(RankSays) == sizeof(api::RankSays) && alignof(RankSays) == alignof(api::RankSays));
static_assert(said_at_once == double(api::most_said_at_once) * sizeof(api::RankSays));
static_assert(sizeof(GroupExtras) == sizeof(api::GroupExtras));
static_assert(board_bytes == api::board_layout_bytes);
static_assert(sizeof(Maximum) == sizeof(std::declval<op::GroupCollective&>().all_max(std::uint64_t{})));

}  // namespace comex::model
