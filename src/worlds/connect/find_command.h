// Finds the program for a spawn in the way the launcher will, because MPI does not report a missing program.
//
// Pure, except that it asks whether files exist. Used by spawn.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/status.h"

namespace comex::worlds {

using IsProgram = std::function<bool(const std::string& path)>;

// A name with a slash is a path, relative to the working directory unless absolute. Other names are looked
// for along `search_path` (a:b:c) and then in the working directory.
Result<std::string> find_command(std::string_view command, std::string_view search_path,
                                 const IsProgram& is_program);

// True for a regular file that somebody may execute.
bool is_program(const std::string& path);

}  // namespace comex::worlds
