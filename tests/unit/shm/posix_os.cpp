// What only the real Os does: advice about its mappings, and calls that a signal interrupts.
#include "shm/posix_os.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "support.h"

namespace {

// What posix_fallocate pretends in this program: newer kernels finish their work before they look at a
// signal.
struct Signals {
  off_t longest_left_alone = 0;  // requests above it are interrupted; 0: by length, none is
  unsigned interruptions_left = 0;
  unsigned interrupted = 0;
  std::uint64_t granted_bytes = 0;
};
Signals signals;

}  // namespace

// In place of the C library's.
extern "C" int posix_fallocate(int descriptor, off_t offset, off_t bytes) {
  const bool is_long = signals.longest_left_alone != 0 && bytes > signals.longest_left_alone;
  if (is_long || signals.interruptions_left != 0) {
    signals.interruptions_left -= is_long ? 0 : 1;
    ++signals.interrupted;
    return EINTR;
  }
  if (fallocate(descriptor, 0, offset, bytes) != 0) return errno;
  signals.granted_bytes += static_cast<std::uint64_t>(bytes);
  return 0;
}

namespace comex::shm {
namespace {

// What follows `name` in /proc/self/smaps for the mapping that holds `address`; empty: the kernel tells
// nothing.
std::vector<std::string> mapping_words(const void* address, const std::string& name) {
  std::ifstream smaps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == name && is_here) {
      std::vector<std::string> rest;
      for (std::string word; words >> word;) rest.push_back(word);
      return rest;
    }
    std::uint64_t low = 0, high = 0;
    char dash = 0;
    if (std::istringstream range(line); range >> std::hex >> low >> dash >> high && dash == '-') {
      const auto at = reinterpret_cast<std::uintptr_t>(address);
      is_here = low <= at && at < high;
    }
  }
  return {};
}

#if !defined(MADV_COLLAPSE)
#define MADV_COLLAPSE 25
#endif

// By a bare call in the object, so that nothing of ours is asked.
bool kernel_makes_large_pages(const Object& object, std::uint64_t large) {
  void* const hold = mmap(nullptr, 2 * large, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (hold == MAP_FAILED || ftruncate(object.descriptor(), static_cast<off_t>(2 * large)) != 0) return false;
  auto* const view = reinterpret_cast<void*>(round_up(reinterpret_cast<std::uintptr_t>(hold), large));
  void* const mapped = mmap(view, large, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, object.descriptor(),
                            static_cast<off_t>(large));
  if (mapped == MAP_FAILED) return false;
  std::memset(mapped, 1, page_bytes);
  const bool is_made = madvise(mapped, large, MADV_COLLAPSE) == 0;
  munmap(hold, 2 * large);
  return is_made;
}

std::uint64_t granted_bytes(const Object& object) {
  struct stat facts {};
  EXPECT_EQ(fstat(object.descriptor(), &facts), 0);
  return static_cast<std::uint64_t>(facts.st_blocks) * 512;
}

bool has(const std::vector<std::string>& flags, const char* flag) {
  return std::ranges::find(flags, flag) != flags.end();
}

class PosixOsTest : public testing::TestWithParam<Backing> {
 protected:
  std::unique_ptr<Os> os_ = make_posix_os();
};

TEST_P(PosixOsTest, leaves_an_arena_out_of_core_dumps_unless_all_of_it_is_wished_for) {
  for (const bool dumps : {false, true}) {
    ArenaOptions options = small_arena(2, GetParam());
    options.dump_core = dumps;
    Arena leader = mapped_arena(*os_, options);
    Arena other = Arena::attach(*os_, leader.ticket(), 1, dumps).value();
    ASSERT_TRUE(other.map_anywhere());
    Arena guest = Arena::attach_guest(*os_, leader.ticket(), dumps).value();
    ASSERT_NE(guest.base(), nullptr);
    for (const std::byte* base : {leader.base(), other.base(), guest.base()}) {
      const std::vector<std::string> flags = mapping_words(base, "VmFlags:");
      if (flags.empty()) GTEST_SKIP() << "this kernel tells no flags of mappings";
      EXPECT_EQ(has(flags, "dd"), !dumps) << "dd: do not dump";
      EXPECT_TRUE(has(flags, "dc")) << "dc: do not copy on fork";
      const bool has_large_pages = std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").is_open();
      EXPECT_EQ(has(flags, "hg"), has_large_pages) << "hg: large pages wanted";
    }
  }
}

TEST_P(PosixOsTest, keeps_its_descriptors_to_this_program) {
  const Object object = os_->create_object(GetParam()).value();
  const Object again = os_->open_object_of(os_->name_of(object).value()).value();
  const Object life = os_->hold_life(object, 1).value();
  for (const Object* each : {&object, &again, &life})
    EXPECT_EQ(fcntl(each->descriptor(), F_GETFD), FD_CLOEXEC) << "closed by exec";
}

// As a timer that fires too often for a long allocation to end: the first steps are cut short, and never
// again one that is short enough.
TEST_P(PosixOsTest, asks_again_for_shorter_steps_when_a_signal_interrupts_an_allocation) {
  constexpr std::uint64_t bytes = 20ULL << 20;
  const Object object = os_->create_object(GetParam()).value();
  std::byte* const base = os_->map(object, {bytes}).value();
  signals = {.longest_left_alone = 1 << 20};
  const Status grown = os_->extend(object, page_bytes, bytes - page_bytes);
  const Signals met = std::exchange(signals, {});
  ASSERT_TRUE(grown) << grown.failure().text;
  EXPECT_GT(met.interrupted, 0u);
  EXPECT_EQ(met.granted_bytes, bytes - page_bytes);
  std::memset(base + page_bytes, 1, bytes - page_bytes);  // all is there: no bus error
  os_->unmap(base, bytes);
}

TEST_P(PosixOsTest, asks_again_for_the_shortest_step_however_often_it_is_interrupted) {
  constexpr std::uint64_t bytes = 1ULL << 20;
  const Object object = os_->create_object(GetParam()).value();
  signals = {.interruptions_left = 50};
  const Status grown = os_->extend(object, 0, bytes);
  const Signals met = std::exchange(signals, {});
  ASSERT_TRUE(grown) << grown.failure().text;
  EXPECT_EQ(met.interrupted, 50u);
  EXPECT_EQ(met.granted_bytes, bytes);
}

// Granted through one mapping, met by another when it touches the memory.
TEST_P(PosixOsTest, lets_every_mapping_have_the_large_pages_of_an_allocation) {
  constexpr std::uint64_t bytes = 24ULL << 20;
  std::uint64_t large = 0;
  std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> large;
  if (large == 0 || large > 4 << 20) GTEST_SKIP() << "this machine has no large pages of a few MiB";
  if (!kernel_makes_large_pages(os_->create_object(GetParam()).value(), large)) {
    GTEST_SKIP() << "this kernel makes no large pages, or has none left";
  }
  Arena owner = mapped_arena(*os_, small_arena(2, GetParam()));
  std::uint32_t attempt = 1;
  while (owner.candidate(attempt) == reinterpret_cast<std::uintptr_t>(owner.base())) ++attempt;
  Arena other = attached_arena(*os_, owner.ticket(), 1, owner.candidate(attempt));
  const Result<Extent> made = owner.extents().allocate(0, bytes);
  ASSERT_TRUE(made) << made.failure().text;
  const std::uint64_t offset = made->offset;
  std::memset(other.at(offset), 1, bytes);
  EXPECT_EQ(std::count(owner.at(offset), owner.at(offset) + bytes, std::byte{1}), std::ptrdiff_t{bytes});
  const std::uint64_t whole = (offset + bytes) / large * large - round_up(offset, large);
  const std::vector<std::string> kilobytes = mapping_words(other.base(), "ShmemPmdMapped:");
  if (kilobytes.empty()) GTEST_SKIP() << "this kernel tells no large pages of mappings";
  // Others may have taken the machine's last ones meanwhile, but hardly half of them.
  EXPECT_GE(std::stoull(kilobytes.front()) * 1024, whole / 2);
}

TEST_P(PosixOsTest, grants_large_pages_within_what_it_was_asked_for_only) {
  constexpr std::uint64_t begin = 1 << 20;
  constexpr std::uint64_t bytes = 8 << 20;
  const Object object = os_->create_object(GetParam()).value();
  if (granted_bytes(object) != page_bytes) GTEST_SKIP() << "this machine gives large pages unasked";
  os_->grant_large_pages(object, begin, bytes);
  EXPECT_LE(lseek(object.descriptor(), 0, SEEK_END), off_t{begin + bytes});
  const off_t first = lseek(object.descriptor(), page_bytes, SEEK_DATA);  // -1 where there is nothing
  EXPECT_TRUE(first == -1 || first >= off_t{begin}) << first;
  ASSERT_TRUE(os_->extend(object, begin, bytes));
  EXPECT_EQ(granted_bytes(object), page_bytes + bytes);
  ASSERT_TRUE(os_->punch(object, begin, bytes));
  EXPECT_EQ(granted_bytes(object), page_bytes) << "all of it goes back";
}

std::string name_of_backing(const testing::TestParamInfo<Backing>& info) {
  return info.param == Backing::memfd ? "memfd" : "tmpfile";
}
INSTANTIATE_TEST_SUITE_P(Both, PosixOsTest, testing::Values(Backing::memfd, Backing::posix), name_of_backing);

}  // namespace
}  // namespace comex::shm
