// What only the real Os does: advice about its mappings, and calls that a signal interrupts.
#include "shm/posix_os.h"

#include <fcntl.h>

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

// The two-letter words of /proc/self/smaps for the mapping that holds `address`; empty: the kernel tells
// none.
std::vector<std::string> mapping_flags(const void* address) {
  std::ifstream smaps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "VmFlags:" && is_here) {
      std::vector<std::string> flags;
      for (std::string flag; words >> flag;) flags.push_back(flag);
      return flags;
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
    ASSERT_TRUE(guest.is_mapped());
    for (const std::byte* base : {leader.base(), other.base(), guest.base()}) {
      const std::vector<std::string> flags = mapping_flags(base);
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

std::string name_of_backing(const testing::TestParamInfo<Backing>& info) {
  return info.param == Backing::memfd ? "memfd" : "tmpfile";
}
INSTANTIATE_TEST_SUITE_P(Both, PosixOsTest, testing::Values(Backing::memfd, Backing::posix), name_of_backing);

}  // namespace
}  // namespace comex::shm
