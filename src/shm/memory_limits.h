// How much memory may still be had: the smallest of RAM and every enclosing cgroup's limit minus use.
//
// Pure over a function that reads files, so that tests give it whole machines as tables. PosixOs
// adds the mount and the process's own limits.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "shm/os.h"

namespace comex::shm {

using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

MemoryLimits limits_of_machine(const ReadFile& read);

}  // namespace comex::shm
