// Finds the program that a spawn is to start, as the launcher will: MPI does not say when there is none.
//
// Pure but for asking whether a file is there. Used by spawn.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/status.h"

namespace comex::worlds {

using IsProgram = std::function<bool(const std::string& path)>;

// A name with a slash is a path, of the working directory if it is relative; another is looked for along
// `search_path` (a:b:c) and then in the working directory.
Result<std::string> find_command(std::string_view command, std::string_view search_path,
                                 const IsProgram& is_program);

// A regular file that somebody may execute.
bool is_program(const std::string& path);

}  // namespace comex::worlds
