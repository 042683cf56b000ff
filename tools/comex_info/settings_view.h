// Settings as a person reads them: the list with values and sources, JSON, the page in docs/, the manual
// page.
#pragma once

#include <string>

#include "core/settings.h"

namespace comex::info {

std::string settings_as_text(const Settings& settings);
std::string settings_as_json(const Settings& settings);
std::string settings_as_markdown();
std::string settings_as_man();

std::string_view scope_text(Scope scope);

}  // namespace comex::info
