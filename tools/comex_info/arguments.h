// The command line of comex_info, read once.
//
// Options of the dry run are settings under a short name: they end up in `overrides` and go through the
// one parser of settings. A bad argument is a Failure of one line; --help and --version are answers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"
#include "core/status.h"

namespace comex::info {

struct Arguments {
  std::optional<std::string> answer;  // print this and be done
  bool json = false;
  bool topology = false;
  bool settings_markdown = false;
  bool settings_man = false;
  bool worlds = false;
  std::vector<int> ranks_on_host;  // empty: no dry run
  bool round_robin = false;
  std::map<std::string, std::string, std::less<>> overrides;  // setting name -> value
};

Result<Arguments> read_arguments(int argc, char** argv);

}  // namespace comex::info
