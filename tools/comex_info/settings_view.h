// Settings as a person reads them: the list with values and sources, JSON, and the page in docs/.
#pragma once

#include <string>

#include "core/settings.h"

namespace comex::info {

std::string settings_as_text(const Settings& settings);
std::string settings_as_json(const Settings& settings);
std::string settings_as_markdown();

}  // namespace comex::info
