#include "worlds/connect/find_command.h"

#include <filesystem>
#include <system_error>

namespace comex::worlds {

Result<std::string> find_command(std::string_view command, std::string_view search_path,
                                 const IsProgram& is_there) {
  const std::string name(command);
  if (name.empty()) return caller_error("it needs a command");
  if (name.find('/') != std::string::npos) {
    if (is_there(name)) return name;
    return caller_error("there is no program " + name + " that could be started");
  }
  while (!search_path.empty()) {
    const std::size_t end = search_path.find(':');
    const std::string directory(search_path.substr(0, end));
    const std::string path = (directory.empty() ? "." : directory) + "/" + name;
    if (is_there(path)) return path;
    search_path = end == std::string_view::npos ? std::string_view() : search_path.substr(end + 1);
  }
  if (is_there("./" + name)) return "./" + name;
  return caller_error("there is no program " + name +
                      " in the directories of PATH nor in the working directory");
}

bool is_program(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  constexpr fs::perms executable = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  return !failed && fs::is_regular_file(status) && (status.permissions() & executable) != fs::perms::none;
}

}  // namespace comex::worlds
