// The little JSON that comex_info writes: text quoted, all else put together by the caller. Bytes that are no
// UTF-8 become U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace comex::info {

std::string json_text(std::string_view text);

}  // namespace comex::info
