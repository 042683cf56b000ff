#include "shm/memory_limits.h"

#include <gtest/gtest.h>

#include <map>

namespace comex::shm {
namespace {

using Files = std::map<std::string, std::string>;

constexpr std::uint64_t spare_of_ram = 1000u * 1024 / 16;

MemoryLimits limits_with(const Files& files) {
  return limits_of_machine([&files](const std::string& path) -> std::optional<std::string> {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  });
}

Files machine() {
  return {{"/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 800 kB\n"}};
}

Files with_unified(const std::string& root, const std::string& path) {
  Files files = machine();
  files["/proc/self/mountinfo"] = "30 23 0:26 " + root + " /cg rw,nosuid - cgroup2 cgroup2 rw\n";
  files["/proc/self/cgroup"] = "0::" + path + "\n";
  return files;
}

TEST(MemoryLimits, is_the_available_memory_without_cgroups) {
  const MemoryLimits limits = limits_with(machine());
  EXPECT_EQ(limits.bytes, 800u * 1024 - spare_of_ram);
  EXPECT_EQ(limits.ram_bytes, 1000u * 1024);
  EXPECT_EQ(limits.limit, Limit::ram);
}

TEST(MemoryLimits, is_bounded_by_the_own_cgroup) {
  Files files = with_unified("/", "/a/b");
  files["/cg/a/b/memory.max"] = "5000\n";
  files["/cg/a/b/memory.current"] = "1000\n";
  const MemoryLimits limits = limits_with(files);
  EXPECT_EQ(limits.bytes, 4000u - 5000 / 16);
  EXPECT_EQ(limits.limit, Limit::cgroup);
  EXPECT_EQ(limits.where, "/cg/a/b");
}

TEST(MemoryLimits, is_bounded_by_an_enclosing_cgroup) {
  Files files = with_unified("/", "/a/b");
  files["/cg/a/b/memory.max"] = "max\n";
  files["/cg/a/b/memory.current"] = "1000\n";
  files["/cg/a/memory.max"] = "3000\n";
  files["/cg/a/memory.current"] = "2500\n";
  EXPECT_EQ(limits_with(files).bytes, 500u - 3000 / 16);
  EXPECT_EQ(limits_with(files).where, "/cg/a");
}

TEST(MemoryLimits, counts_file_pages_that_can_be_dropped_as_free) {
  Files files = with_unified("/", "/");
  files["/cg/memory.max"] = "5000\n";
  files["/cg/memory.current"] = "4000\n";
  files["/cg/memory.stat"] = "anon 1\ninactive_file 3000\nactive_file 7\n";
  EXPECT_EQ(limits_with(files).bytes, 4007u - 5000 / 16);
}

TEST(MemoryLimits, finds_the_cgroup_in_a_container_that_sees_only_its_own_part) {
  Files files = with_unified("/docker/x", "/docker/x/inner");
  files["/cg/inner/memory.max"] = "700\n";
  files["/cg/inner/memory.current"] = "100\n";
  EXPECT_EQ(limits_with(files).bytes, 600u - 700 / 16);
  files = with_unified("/docker/x", "/elsewhere");
  files["/cg/memory.max"] = "900\n";
  files["/cg/memory.current"] = "100\n";
  EXPECT_EQ(limits_with(files).bytes, 800u - 900 / 16);
}

// Somebody may have mounted another cgroup to watch it.
TEST(MemoryLimits, takes_no_sibling_that_is_mounted_elsewhere_for_the_own_cgroup) {
  Files files = with_unified("/", "/");
  files["/proc/self/mountinfo"] += "31 23 0:26 /../other.slice /watch rw,nosuid - cgroup2 cgroup2 rw\n";
  files["/watch/memory.max"] = "900\n";
  files["/watch/memory.current"] = "100\n";
  EXPECT_EQ(limits_with(files).bytes, 800u * 1024 - spare_of_ram);
  EXPECT_EQ(limits_with(files).limit, Limit::ram);
}

TEST(MemoryLimits, reads_the_old_hierarchies_too) {
  Files files = machine();
  files["/proc/self/mountinfo"] =
      "33 31 0:30 / /cg/cpu rw - cgroup cgroup rw,cpu\n35 31 0:32 / /cg/memory rw - cgroup cgroup "
      "rw,memory\n";
  files["/proc/self/cgroup"] = "4:cpu:/c\n3:memory:/m\n";
  files["/cg/memory/m/memory.limit_in_bytes"] = "6000\n";
  files["/cg/memory/m/memory.usage_in_bytes"] = "5000\n";
  files["/cg/memory/m/memory.stat"] = "inactive_file 1\ntotal_inactive_file 500\n";
  files["/cg/memory/memory.limit_in_bytes"] = "9223372036854771712\n";
  files["/cg/memory/memory.usage_in_bytes"] = "5000\n";
  EXPECT_EQ(limits_with(files).bytes, 1500u - 6000 / 16);
}

TEST(MemoryLimits, is_nothing_when_a_cgroup_is_over_its_limit) {
  Files files = with_unified("/", "/");
  files["/cg/memory.max"] = "100\n";
  files["/cg/memory.current"] = "200\n";
  EXPECT_EQ(limits_with(files).bytes, 0u);
}

// The last of what is left is not promised, however little is left.
TEST(MemoryLimits, spares_a_share_of_the_limit_to_the_end) {
  constexpr std::uint64_t limit = 512ULL << 20;
  constexpr std::uint64_t spare = limit / 16;
  Files files = with_unified("/", "/");
  files["/proc/meminfo"] = "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n";
  files["/cg/memory.max"] = std::to_string(limit) + "\n";
  for (const std::uint64_t left : {std::uint64_t{0}, spare - 1, spare, spare + 1, limit}) {
    files["/cg/memory.current"] = std::to_string(limit - left) + "\n";
    EXPECT_EQ(limits_with(files).bytes, left < spare ? 0 : left - spare) << left;
    EXPECT_EQ(limits_with(files).used_spare_bytes, left < spare ? spare - left : 0) << left;
  }
  files = {{"/proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 66000 kB\n"}};
  EXPECT_EQ(limits_with(files).bytes, 66000u * 1024 - (64u << 20));
}

TEST(MemoryLimits, takes_no_cgroup_of_a_hierarchy_in_which_the_process_is_not) {
  Files files = with_unified("/", "/a");
  files["/proc/self/cgroup"] = "3:memory:/a\n";  // of a hierarchy that is not mounted
  files["/cg/a/memory.max"] = "5000\n";
  files["/cg/a/memory.current"] = "1000\n";
  EXPECT_EQ(limits_with(files).bytes, 800u * 1024 - spare_of_ram);
}

}  // namespace
}  // namespace comex::shm
