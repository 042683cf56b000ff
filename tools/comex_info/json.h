// The little JSON that comex_info writes: text quoted, all else put together by the caller.
#pragma once

#include <string>
#include <string_view>

namespace comex::info {

std::string json_text(std::string_view text);

}  // namespace comex::info
