// What the real Os and an arena say when the kernel refuses a call.
#include "support/refused_calls.h"

#include <cerrno>

#include "support.h"

namespace comex::shm {
namespace {

class RefusedCalls : public ::testing::Test {
 protected:
  // Makes an object, and tells what is said about it.
  std::string told_by_making(Backing backing) {
    const Result<Object> made = os_->create_object(backing);
    return made ? "" : made.failure().text;
  }
  static std::string told(const Status& status) { return status ? "" : status.failure().text; }
  template <class Value>
  static std::string told(const Result<Value>& result) {
    return result ? "" : result.failure().text;
  }

  const std::unique_ptr<Os> os_ = make_posix_os();
  const Object object_ = std::move(os_->create_object(Backing::memfd)).value();
  const Arena arena_ = mapped_arena(*os_, small_arena(2));
};

TEST_F(RefusedCalls, that_make_an_object_are_named) {
  with_refused_calls({SYS_memfd_create}, EMFILE, [&] {
    EXPECT_EQ(told_by_making(Backing::memfd), "memfd_create: Too many open files (errno 24)");
    EXPECT_EQ(told_by_making(Backing::automatic), "") << "/dev/shm comes next";
  });
  with_refused_calls({SYS_openat}, ENFILE, [&] {
    EXPECT_EQ(told_by_making(Backing::posix),
              "open(/dev/shm, O_TMPFILE): Too many open files in system (errno 23)");
  });
  with_refused_calls({SYS_fallocate}, ENOSPC, [&] {
    EXPECT_EQ(told_by_making(Backing::memfd),
              "posix_fallocate of 4096 bytes: No space left on device (errno 28)");
  });
  with_refused_calls({SYS_pwrite64}, EIO, [&] {
    EXPECT_EQ(told_by_making(Backing::memfd), "pwrite of the cookie: Input/output error (errno 5)");
  });
}

TEST_F(RefusedCalls, that_name_an_object_are_named) {
  with_refused_calls({SYS_fstat, SYS_newfstatat}, EIO,
                     [&] { EXPECT_EQ(told(os_->name_of(object_)), "fstat: Input/output error (errno 5)"); });
  with_refused_calls({SYS_pread64}, EIO, [&] {
    EXPECT_EQ(told(os_->name_of(object_)), "pread of the cookie: Input/output error (errno 5)");
  });
}

TEST_F(RefusedCalls, that_open_an_object_are_named) {
  const ObjectName name = os_->name_of(object_).value();
  const std::string path = "/proc/" + std::to_string(name.pid) + "/fd/" + std::to_string(name.descriptor);
  with_refused_calls({SYS_openat}, EACCES, [&] {
    EXPECT_EQ(told(os_->open_object_of(name)), "open(" + path + "): Permission denied (errno 13)");
  });
  with_refused_calls({SYS_fstat, SYS_newfstatat}, EIO, [&] {
    EXPECT_EQ(told(os_->open_object_of(name)), "fstat of " + path + ": Input/output error (errno 5)");
  });
  with_refused_calls({SYS_pread64}, EIO, [&] { EXPECT_FALSE(os_->open_object_of(name)); });
}

TEST_F(RefusedCalls, that_give_and_take_pages_are_named) {
  with_refused_calls({SYS_fallocate}, EIO, [&] {
    EXPECT_EQ(told(os_->extend(object_, 0, mebibyte)),
              "posix_fallocate of 1048576 bytes: Input/output error (errno 5)");
    EXPECT_EQ(told(os_->punch(object_, 0, page_bytes)),
              "fallocate(PUNCH_HOLE): Input/output error (errno 5)");
  });
  constexpr std::uint64_t beyond_all = 1ULL << 62;
  EXPECT_EQ(told(os_->map(object_, {.bytes = beyond_all})),
            "mmap of 4611686018427387904 bytes: Cannot allocate memory (errno 12)");
  EXPECT_FALSE(os_->grant_large_pages(object_, 0, beyond_all));
  with_refused_calls({SYS_madvise}, EINVAL, [&] {
    EXPECT_EQ(told(os_->map(object_, {.bytes = mebibyte})),
              "madvise(MADV_DONTFORK): Invalid argument (errno 22)");
  });
}

TEST_F(RefusedCalls, that_hold_a_life_are_named) {
  with_refused_calls({SYS_openat}, EMFILE, [&] {
    EXPECT_EQ(told(os_->hold_life(object_, 3)),
              "open of /proc/self/fd for the life lock: Too many open files (errno 24)");
  });
  with_refused_calls({SYS_fcntl}, ENOLCK, [&] {
    EXPECT_EQ(told(os_->hold_life(object_, 3)), "life lock of host slot 3: No locks available (errno 37)");
  });
}

TEST_F(RefusedCalls, end_the_making_of_an_arena) {
  const auto told_by_arena = [&] { return told(Arena::create(*os_, small_arena())); };
  with_refused_calls({SYS_pread64}, EIO, [&] {
    EXPECT_EQ(told_by_arena(), "pread of the cookie: Input/output error (errno 5)");
  });
  with_refused_calls({SYS_fcntl}, ENOLCK, [&] {
    EXPECT_EQ(told_by_arena(), "life lock of host slot 0: No locks available (errno 37)");
    EXPECT_EQ(told(Arena::attach(*os_, arena_.ticket(), 1)),
              "life lock of host slot 1: No locks available (errno 37)");
    EXPECT_NE(told(Arena::attach_guest(*os_, arena_.ticket())).find("No locks available"), std::string::npos);
  });
  ArenaTicket vast = arena_.ticket();
  vast.geometry.reservation_bytes = 1ULL << 62;
  EXPECT_NE(told(Arena::attach_guest(*os_, vast)).find("mmap of"), std::string::npos);
  with_refused_calls({SYS_openat}, EMFILE, [&] {
    EXPECT_NE(told(Arena::attach_guest(*os_, arena_.ticket())).find("Too many open files"),
              std::string::npos);
  });
}

}  // namespace
}  // namespace comex::shm
