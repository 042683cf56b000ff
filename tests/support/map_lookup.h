// The other implementation of the environment's look-up: a map, for tests of whatever reads settings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/settings.h"

namespace comex::test {

using Environment = std::map<std::string, std::string, std::less<>>;

inline Lookup lookup_in(Environment environment) {
  return [environment = std::move(environment)](std::string_view name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  };
}

}  // namespace comex::test
