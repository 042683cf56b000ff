#include "shm/posix_os.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <sstream>

#include "shm/geometry.h"
#include "shm/memory_limits.h"
#include "shm/tmpfs_os.h"

#if !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23
#endif
#if !defined(MADV_COLLAPSE)
#define MADV_COLLAPSE 25
#endif

namespace comex::shm {

namespace {

constexpr const char* mount_path = "/dev/shm";
constexpr std::uint64_t step_bytes = 16ULL << 20;
constexpr std::uint64_t least_step_bytes = 256ULL << 10;
constexpr off_t life_offset = off_t{1} << 52;  // lock ranges lie far behind every byte of the object

Failure refused(const std::string& call, int error) {
  return environment_error(call + ": " + std::strerror(error) + " (errno " + std::to_string(error) + ")");
}

std::string descriptor_path(const std::string& process, int descriptor) {
  return "/proc/" + process + "/fd/" + std::to_string(descriptor);
}

timespec to_timespec(std::uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::uint64_t soft_limit(int resource) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return ~0ULL;
  return limit.rlim_cur == RLIM_INFINITY ? ~0ULL : limit.rlim_cur;
}

// /proc/sys/vm/overcommit_memory says so; the kernel may then refuse a page that is touched.
bool is_accounted_strictly() {
  return read_file("/proc/sys/vm/overcommit_memory").value_or("0").front() == '2';
}

// A multiple of page_bytes, the unit of the arena.
std::uint64_t system_page_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t address_space_left() {
  const std::uint64_t limit = soft_limit(RLIMIT_AS);
  if (limit == ~0ULL) return limit;
  std::uint64_t pages = 0;
  std::istringstream(read_file("/proc/self/statm").value_or("0")) >> pages;
  const std::uint64_t used = pages * system_page_bytes();
  return limit > used ? limit - used : 0;
}

// memfd is tried before /dev/shm, because it needs no mount and no room there.
Result<Object> open_new(Os& os, Backing backing, bool large_pages) {
  if (backing == Backing::automatic && large_pages) {
    const int descriptor = open_file_with_large_pages();
    if (descriptor >= 0) return Object(os, descriptor, Backing::memfd);
  }
  if (backing != Backing::posix) {
    const int descriptor = memfd_create("comex", MFD_CLOEXEC);
    if (descriptor >= 0) return Object(os, descriptor, Backing::memfd);
    if (backing == Backing::memfd) return refused("memfd_create", errno);
  }
  // O_EXCL with O_TMPFILE: the file can never get a name, so nothing can be left behind.
  const int descriptor = open(mount_path, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) return refused(std::string("open(") + mount_path + ", O_TMPFILE)", errno);
  return Object(os, descriptor, Backing::posix);
}

// The size of a large page of this machine's shared memory; 0: it has none, or such large ones that a touch
// would take memory that nobody asked for (512 MiB where a page has 64 KiB).
std::uint64_t large_page_bytes() {
  constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;
  std::uint64_t bytes = 0;
  std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> bytes;
  return bytes <= most_bytes ? bytes : 0;
}

// Makes large pages of `large` > 0 bytes where they lie wholly in [offset, offset + bytes); contents are
// kept. Returns false when the kernel has no more. Each refused one may then have one small page, and the
// object may reach to the end of the last.
bool make_large_pages(int descriptor, std::uint64_t offset, std::uint64_t bytes, std::uint64_t large) {
  const std::uint64_t first = round_up(offset, large);
  const std::uint64_t end = (offset + bytes) / large * large;
  if (first >= end) return true;
  if (end > soft_limit(RLIMIT_FSIZE)) return false;  // the kernel would send a signal
  // The kernel makes large pages only in a mapping with the same alignment.
  const std::uint64_t hold_bytes = end - first + large;
  void* const hold = mmap(nullptr, hold_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (hold == MAP_FAILED) return false;
  auto* const view = reinterpret_cast<void*>(round_up(reinterpret_cast<std::uintptr_t>(hold), large));
  void* const mapped = mmap(view, end - first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                            descriptor, static_cast<off_t>(first));
  if (mapped == MAP_FAILED) return false;  // another thread may use the place now, so nothing is unmapped
  // The kernel needs at least one small page in each large one and copies those that exist, so exactly one is
  // made. Its position rotates, so that interleaved memory uses all nodes; the last one extends the object.
  const auto ask = [&](std::uint64_t place) {
    static_cast<void>(posix_fallocate(descriptor, static_cast<off_t>(place), page_bytes));
  };
  for (std::uint64_t page = first; page < end; page += large) ask(page + page / large * page_bytes % large);
  ask(end - page_bytes);
  const bool goes_on =
      madvise(mapped, end - first, MADV_COLLAPSE) == 0 || errno == EAGAIN;  // a page was busy
  munmap(hold, hold_bytes);
  return goes_on;
}

class PosixOs final : public Os {
 public:
  Result<Object> create_object(Backing backing, bool large_pages) override {
    Result<Object> made = open_new(*this, backing, large_pages);
    if (!made) return made;
    const Object& object = made.value();
    if (Status grown = extend(object, 0, page_bytes); !grown) return grown.take_failure();
    const std::uint64_t cookie = random_bits();
    const ssize_t written = pwrite(object.descriptor(), &cookie, sizeof cookie, 0);
    if (written != static_cast<ssize_t>(sizeof cookie)) return refused("pwrite of the cookie", errno);
    return made;
  }

  Result<ObjectName> name_of(const Object& object) override {
    struct stat facts {};
    if (fstat(object.descriptor(), &facts) != 0) return refused("fstat", errno);
    ObjectName name;
    name.pid = getpid();
    name.descriptor = object.descriptor();
    name.device = facts.st_dev;
    name.inode = facts.st_ino;
    name.backing = static_cast<std::uint32_t>(object.backing());
    const ssize_t got = pread(object.descriptor(), &name.cookie, sizeof name.cookie, 0);
    if (got != static_cast<ssize_t>(sizeof name.cookie)) return refused("pread of the cookie", errno);
    return name;
  }

  Result<Object> open_object_of(const ObjectName& name) override {
    const std::string path = descriptor_path(std::to_string(name.pid), name.descriptor);
    // Checked before it is opened: in another pid namespace, the path may lead to anything.
    const Object look(*this, open(path.c_str(), O_PATH | O_CLOEXEC), Backing::memfd);
    if (!look) return refused("open(" + path + ")", errno);
    struct stat facts {};
    if (fstat(look.descriptor(), &facts) != 0) return refused("fstat of " + path, errno);
    if (facts.st_dev != name.device || facts.st_ino != name.inode) {
      return environment_error(path + " is not the arena's object: another host or pid namespace");
    }
    Object object = reopen(look.descriptor(), static_cast<Backing>(name.backing));
    if (!object) return refused("open(" + path + ", O_RDWR)", errno);
    std::uint64_t cookie = 0;
    const ssize_t got = pread(object.descriptor(), &cookie, sizeof cookie, 0);
    if (got != static_cast<ssize_t>(sizeof cookie) || cookie != name.cookie) {
      return environment_error(path + " does not hold the arena's cookie: another host or pid namespace");
    }
    return object;
  }

  void close_object(int descriptor) override { close(descriptor); }

  bool enable_on_touch(const Object& object, std::uint64_t bytes) override {
    // A full mount or strict accounting may refuse a page when it is touched, which raises SIGBUS.
    return object.backing() == Backing::memfd && bytes <= soft_limit(RLIMIT_FSIZE) &&
           !is_accounted_strictly() && ftruncate(object.descriptor(), static_cast<off_t>(bytes)) == 0;
  }

  std::uint64_t resident_bytes(const Object& object) override {
    struct stat facts {};
    if (fstat(object.descriptor(), &facts) != 0) return 0;
    return static_cast<std::uint64_t>(facts.st_blocks) * 512;
  }

  Status extend(const Object& object, std::uint64_t offset, std::uint64_t bytes) override {
    // Beyond this limit the kernel sends a signal instead of an error.
    if (const std::uint64_t limit = soft_limit(RLIMIT_FSIZE); offset + bytes > limit) {
      return environment_error("the file-size limit (ulimit -f) of " + std::to_string(limit) +
                               " bytes ends shared memory before " + std::to_string(offset + bytes));
    }
    std::uint64_t step = step_bytes;
    for (std::uint64_t done = 0; done < bytes;) {
      const std::uint64_t now = std::min(step, bytes - done);
      const int error =
          posix_fallocate(object.descriptor(), static_cast<off_t>(offset + done), static_cast<off_t>(now));
      if (error == 0) {
        done += now;
      } else if (error == EINTR) {
        step = std::max(step / 2, least_step_bytes);  // a timer may interrupt every long step
      } else {
        if (done > 0) static_cast<void>(punch(object, offset, done));
        return refused("posix_fallocate of " + std::to_string(bytes) + " bytes", error);
      }
    }
    return {};
  }

  Status punch(const Object& object, std::uint64_t offset, std::uint64_t bytes) override {
    while (fallocate(object.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0) {
      if (errno != EINTR) return refused("fallocate(PUNCH_HOLE)", errno);
    }
    return {};
  }

  bool grant_large_pages(const Object& object, std::uint64_t offset, std::uint64_t bytes) override {
    return large_page_bytes_ != 0 && make_large_pages(object.descriptor(), offset, bytes, large_page_bytes_);
  }

  Result<std::byte*> map(const Object& object, const MapOptions& options) override {
    void* const hint = reinterpret_cast<void*>(options.address);
    const int flags = MAP_SHARED | MAP_NORESERVE | (hint != nullptr ? MAP_FIXED_NOREPLACE : 0);
    void* const base = mmap(hint, options.bytes, PROT_READ | PROT_WRITE, flags, object.descriptor(), 0);
    if (base == MAP_FAILED) return refused("mmap of " + std::to_string(options.bytes) + " bytes", errno);
    if (madvise(base, options.bytes, MADV_DONTFORK) != 0) {
      const int error = errno;
      munmap(base, options.bytes);
      return refused("madvise(MADV_DONTFORK)", error);
    }
    if (!options.dump_core) madvise(base, options.bytes, MADV_DONTDUMP);
    const std::uint64_t page = system_page_bytes();
    const std::uint64_t ready_from = options.ready_from / page * page;
    madvise(static_cast<std::byte*>(base) + ready_from, options.ready_from + options.ready_bytes - ready_from,
            MADV_POPULATE_WRITE);
    const std::uint64_t large_from = round_up(options.large_from, page);
    if (large_from < options.bytes && large_page_bytes_ != 0) {  // where the kernel allows it
      madvise(static_cast<std::byte*>(base) + large_from, options.bytes - large_from, MADV_HUGEPAGE);
    }
    return static_cast<std::byte*>(base);
  }

  void unmap(std::byte* base, std::uint64_t bytes) override { munmap(base, bytes); }

  void inherit_on_fork(std::byte* base, std::uint64_t bytes) override { madvise(base, bytes, MADV_DOFORK); }
  void find_pages_anew(std::byte* base, std::uint64_t bytes) override {
    const std::uint64_t into_page = reinterpret_cast<std::uintptr_t>(base) % system_page_bytes();
    madvise(base - into_page, bytes + into_page, MADV_DONTNEED);
  }

  std::vector<AddressRange> address_ranges() const override { return usable_address_ranges(); }

  MemoryLimits memory_limits(Backing backing) override {
    MemoryLimits limits = limits_of_machine(read_file);
    limits.address_space_bytes = address_space_left();
    limits.file_bytes = soft_limit(RLIMIT_FSIZE);
    struct statvfs mount {};
    const bool counts = backing == Backing::posix && statvfs(mount_path, &mount) == 0 && mount.f_blocks != 0;
    if (counts && mount.f_bavail * mount.f_frsize < limits.bytes) {
      limits.bytes = mount.f_bavail * mount.f_frsize;
      limits.limit = Limit::mount;
      limits.where = mount_path;
    }
    return limits;
  }

  bool wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns,
            std::uint32_t bitset) override {
    const bool is_bounded = timeout_ns != forever_ns;
    const timespec until = is_bounded ? to_timespec(now_ns() + timeout_ns) : timespec{};
    const long rc = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, expected, is_bounded ? &until : nullptr,
                            nullptr, bitset);
    return rc == 0 || errno != ETIMEDOUT;
  }

  void wake(const std::atomic<std::uint32_t>& word, std::uint32_t waiters, std::uint32_t bitset) override {
    syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, std::min(waiters, every_waiter), nullptr, nullptr, bitset);
  }

  Result<Object> hold_life(const Object& object, HostSlot slot) override {
    // The life has its own open file description, so that a query through the other one sees this lock too.
    Object life = reopen(object.descriptor(), object.backing());
    if (!life) return refused("open of /proc/self/fd for the life lock", errno);
    struct flock range = life_of(slot);
    if (fcntl(life.descriptor(), F_OFD_SETLK, &range) != 0) {
      return refused("life lock of host slot " + std::to_string(slot), errno);
    }
    return life;
  }

  bool is_alive(const Object& object, HostSlot slot) override {
    struct flock range = life_of(slot);
    // When the kernel does not answer, nobody is declared dead.
    return fcntl(object.descriptor(), F_OFD_GETLK, &range) != 0 || range.l_type != F_UNLCK;
  }

  HostFacts host_facts() override {
    HostFacts facts;
    std::array<char, HOST_NAME_MAX + 1> name{};
    if (gethostname(name.data(), name.size() - 1) == 0) facts.host_name = name.data();
    facts.host_id = static_cast<std::uint64_t>(gethostid());
    struct stat mount {};
    if (stat(mount_path, &mount) == 0) facts.shm_device = mount.st_dev;
    const std::string nodes =
        read_file("/sys/devices/system/node/has_memory").value_or("");  // "0", "0-1", "0,2"
    facts.has_several_memory_nodes = nodes.find_first_of("-,") != std::string::npos;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    static_assert(CPU_SETSIZE == facts.allowed_cpus.size());
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
      for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        facts.allowed_cpus[cpu] = CPU_ISSET(cpu, &cpus);
      }
    }
    return facts;
  }

  std::int32_t pid() override { return getpid(); }

  std::uint64_t random_bits() override {
    std::uint64_t bits = 0;
    COMEX_BUG_IF(getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits));
    return bits;
  }

  std::uint64_t now_ns() override {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  }

  void sleep_ns(std::uint64_t ns) override {
    timespec left = to_timespec(ns);
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
  }

  void yield() override { sched_yield(); }

  void set_timer_slack(std::uint64_t ns) override { prctl(PR_SET_TIMERSLACK, ns, 0, 0, 0); }

 private:
  Object reopen(int descriptor, Backing backing) {
    return {*this, open(descriptor_path("self", descriptor).c_str(), O_RDWR | O_CLOEXEC), backing};
  }

  static struct flock life_of(HostSlot slot) {
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = life_offset + slot;
    range.l_len = 1;
    return range;
  }

  const std::uint64_t large_page_bytes_ = large_page_bytes();
};

}  // namespace

std::unique_ptr<Os> make_posix_os() {
  return std::make_unique<PosixOs>();
}

}  // namespace comex::shm
