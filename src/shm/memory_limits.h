// How much memory can still be allocated: the least of RAM and each enclosing cgroup's limit minus use, less
// a spare.
//
// It is a pure function over a function that reads files, so tests can describe whole machines as tables.
// PosixOs adds the mount's limit and the process's own limits.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "shm/os.h"

namespace comex::shm {

using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

MemoryLimits limits_of_machine(const ReadFile& read);

}  // namespace comex::shm
