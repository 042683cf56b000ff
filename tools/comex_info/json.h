// The little JSON that comex_info writes: text quoted, all else put together by the caller.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace comex::info {

std::string json_text(std::string_view text);
std::string json_list(const std::vector<int>& numbers);

}  // namespace comex::info
