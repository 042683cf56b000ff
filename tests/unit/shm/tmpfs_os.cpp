// Pages of the real system that come when they are touched.
#include "shm/tmpfs_os.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>

#include "support.h"

namespace comex::shm {
namespace {

std::uint64_t large_page_bytes() {
  std::uint64_t bytes = 0;
  std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> bytes;
  std::string when;  // "always [madvise] never"
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/shmem_enabled"), when);
  return when.find("[deny]") == std::string::npos ? bytes : 0;
}

ArenaOptions on_touch(bool large_pages) {
  ArenaOptions options = small_arena(2);
  options.on_touch = true;
  options.large_pages = large_pages;
  return options;
}

struct Touched {
  std::uint64_t by_allocation = 0;
  std::uint64_t by_touch = 0;
};

// One byte in the middle of an allocation of 24 MiB.
Touched touch_one_byte(Os& os, const ArenaOptions& options) {
  Arena arena = mapped_arena(os, options);
  const Object& object = *arena.lock_party().object;
  EXPECT_EQ(arena.ticket().on_touch, 1);
  const std::uint64_t before = os.resident_bytes(object);
  const Extent e = arena.extents().allocate(0, 24 << 20).value();
  const std::uint64_t allocated = os.resident_bytes(object);
  arena.at(e.offset)[12 << 20] = std::byte{1};
  return {allocated - before, os.resident_bytes(object) - allocated};
}

TEST(PagesOnTouch, of_an_anonymous_file_are_small_and_only_those_touched) {
  const auto os = make_posix_os();
  std::string when;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/shmem_enabled"), when);
  if (when.find("[never]") == std::string::npos) GTEST_SKIP() << "this machine gives large pages unasked";
  const Touched touched = touch_one_byte(*os, on_touch(false));
  EXPECT_LE(touched.by_allocation, 64 * page_bytes);
  EXPECT_EQ(touched.by_touch, page_bytes);
}

TEST(PagesOnTouch, of_a_file_with_large_pages_are_one_large_page) {
  const auto os = make_posix_os();
  const std::uint64_t large = large_page_bytes();
  if (large == 0 || large > 4 << 20) GTEST_SKIP() << "this machine has no large pages of a few MiB";
  const int file = open_file_with_large_pages();
  if (file < 0) GTEST_SKIP() << "this user may neither mount a file system nor have a user namespace";
  close(file);
  const Touched touched = touch_one_byte(*os, on_touch(true));
  EXPECT_LE(touched.by_allocation, 64 * page_bytes);
  EXPECT_TRUE(touched.by_touch == large || touched.by_touch == page_bytes) << touched.by_touch;
  if (touched.by_touch == page_bytes) GTEST_SKIP() << "the machine has no large page left";
}

TEST(PagesOnTouch, are_not_promised_on_a_mount) {
  const auto os = make_posix_os();
  ArenaOptions options = small_arena(2, Backing::posix);
  options.on_touch = true;
  EXPECT_EQ(mapped_arena(*os, options).ticket().on_touch, 0);
}

TEST(FileWithLargePages, has_no_name_closes_on_exec_and_leaves_no_child) {
  const int file = open_file_with_large_pages();
  if (file < 0) GTEST_SKIP() << "this user may neither mount a file system nor have a user namespace";
  EXPECT_EQ(fcntl(file, F_GETFD), FD_CLOEXEC);
  struct stat facts {};
  ASSERT_EQ(fstat(file, &facts), 0);
  EXPECT_EQ(facts.st_nlink, 0u);
  EXPECT_EQ(facts.st_mode & 0777u, 0600u);
  close(file);
  std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::string child;
  EXPECT_FALSE(children >> child) << child;
}

TEST(FileWithLargePages, opens_again_by_way_of_its_descriptor) {
  const auto os = make_posix_os();
  const Object object = os->create_object(Backing::automatic, true).value();
  const Result<Object> again = os->open_object_of(os->name_of(object).value());
  ASSERT_TRUE(again) << again.failure().text;
}

}  // namespace
}  // namespace comex::shm
