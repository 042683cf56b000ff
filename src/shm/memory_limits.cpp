#include "shm/memory_limits.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>
#include <vector>

namespace comex::shm {

namespace {

// One cgroup hierarchy that accounts memory, and the place of this process in it.
struct Hierarchy {
  bool is_unified = false;
  std::string mount;
  std::string root;  // the cgroup at the top of the mount
  std::string path;  // this process's cgroup, from the hierarchy's top

  bool shows_path() const { return root == "/" || path == root || path.starts_with(root + "/"); }
};

std::optional<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_at(const ReadFile& read, const std::string& path) {
  const auto text = read(path);
  return text ? number_in(*text) : std::nullopt;
}

// The value behind `key` in a file of lines "key value".
std::optional<std::uint64_t> value_of(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t value = 0;
    if (words >> name >> value && name == key) return value;
  }
  return std::nullopt;
}

bool lists(const std::string& commas, const std::string& word) {
  return ("," + commas + ",").find("," + word + ",") != std::string::npos;
}

// "36 25 0:31 / /sys/fs/cgroup rw - cgroup2 none rw": root and mount point before the dash, type after.
std::vector<Hierarchy> mounted_hierarchies(const std::string& mountinfo) {
  std::vector<Hierarchy> found;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line);
    std::istringstream after(line.substr(dash + 3));
    std::string skipped;
    std::string type;
    std::string options;
    Hierarchy hierarchy;
    before >> skipped >> skipped >> skipped >> hierarchy.root >> hierarchy.mount;
    after >> type >> skipped >> options;
    hierarchy.is_unified = type == "cgroup2";
    if (hierarchy.is_unified || (type == "cgroup" && lists(options, "memory"))) found.push_back(hierarchy);
  }
  return found;
}

// Reads lines such as "0::/path" (unified) or "5:cpu,memory:/path".
std::optional<std::string> path_in(const Hierarchy& hierarchy, const std::string& membership) {
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_it = hierarchy.is_unified ? controllers.empty() : lists(controllers, "memory");
    if (is_it) return line.substr(second + 1);
  }
  return std::nullopt;
}

// What is left of a limit, less a spare that is not promised: at the limit the kernel kills. The spare is a
// share of the limit, not of what is left, which gets small as memory is taken.
void bound(MemoryLimits& limits, Limit limit, std::uint64_t whole, std::uint64_t left) {
  constexpr std::uint64_t most_spare_bytes = 64ULL << 20;
  const std::uint64_t spare = std::min(whole / 16, most_spare_bytes);
  const std::uint64_t kept_spare = std::min(left, spare);
  limits.limit = limit;
  limits.bytes = left - kept_spare;
  limits.used_spare_bytes = spare - kept_spare;
}

// Limit minus use of one cgroup. Pages of files, which the kernel would drop first, are not in use.
std::optional<MemoryLimits> left_in(const ReadFile& read, const Hierarchy& hierarchy,
                                    const std::string& dir) {
  constexpr std::uint64_t no_limit = 1ULL << 60;
  const bool is_unified = hierarchy.is_unified;
  const auto limit = number_at(read, dir + (is_unified ? "/memory.max" : "/memory.limit_in_bytes"));
  const auto used = number_at(read, dir + (is_unified ? "/memory.current" : "/memory.usage_in_bytes"));
  if (!limit || !used || *limit >= no_limit) return std::nullopt;
  const std::string statistics = read(dir + "/memory.stat").value_or("");
  const auto pages = [&](const char* name) {
    return value_of(statistics, is_unified ? name : std::string("total_") + name).value_or(0);
  };
  const std::uint64_t of_files = pages("inactive_file") + pages("active_file");
  const std::uint64_t held = *used > of_files ? *used - of_files : 0;
  MemoryLimits own;
  own.where = dir;
  bound(own, Limit::cgroup, *limit, *limit > held ? *limit - held : 0);
  return own;
}

// Visits the process's cgroup and every enclosing one that the mount shows.
void shrink_to(MemoryLimits& limits, const ReadFile& read, const Hierarchy& hierarchy) {
  std::string inner = hierarchy.path;
  if (hierarchy.root != "/") inner = hierarchy.shows_path() ? inner.substr(hierarchy.root.size()) : "";
  while (!inner.empty() && inner.back() == '/') inner.pop_back();
  while (true) {
    const std::string dir = hierarchy.mount + inner;
    const auto left = left_in(read, hierarchy, dir);
    const auto room = [](const MemoryLimits& of) { return std::pair(of.bytes, ~of.used_spare_bytes); };
    if (left && room(*left) < room(limits)) {
      const std::uint64_t ram_bytes = limits.ram_bytes;
      limits = *left;
      limits.ram_bytes = ram_bytes;
    }
    if (inner.empty()) return;
    inner.resize(inner.rfind('/'));
  }
}

}  // namespace

MemoryLimits limits_of_machine(const ReadFile& read) {
  MemoryLimits limits;
  limits.bytes = ~0ULL;
  if (const auto meminfo = read("/proc/meminfo")) {
    limits.ram_bytes = value_of(*meminfo, "MemTotal:").value_or(0) * 1024;
    if (const auto kib = value_of(*meminfo, "MemAvailable:"))
      bound(limits, Limit::ram, limits.ram_bytes, *kib * 1024);
  }
  const std::string membership = read("/proc/self/cgroup").value_or("");
  std::vector<Hierarchy> own;
  for (Hierarchy& hierarchy : mounted_hierarchies(read("/proc/self/mountinfo").value_or(""))) {
    const auto path = path_in(hierarchy, membership);
    if (!path) continue;
    hierarchy.path = *path;
    own.push_back(std::move(hierarchy));
  }
  for (const Hierarchy& hierarchy : own) {
    // The top of a mount elsewhere in the hierarchy stands for the own cgroup only where no mount shows that.
    const bool is_needed = std::ranges::none_of(own, [&](const Hierarchy& other) {
      return other.is_unified == hierarchy.is_unified && other.shows_path();
    });
    if (hierarchy.shows_path() || is_needed) shrink_to(limits, read, hierarchy);
  }
  return limits;
}

}  // namespace comex::shm
