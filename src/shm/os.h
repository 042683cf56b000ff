// The only interface to the operating system: shared objects, mappings, futexes, life locks, limits, time.
//
// Every call that can fail returns a Failure with the call and errno. Nothing here leaves a name in the file
// system, so a killed process leaves nothing behind. PosixOs is the real implementation; MemoryOs works
// inside one process with failures on demand, and both pass one conformance suite. Used by everything in shm,
// by runtime (host facts) and by every wait (idle.h).
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "core/settings.h"
#include "core/status.h"

namespace comex::shm {

using HostSlot = std::uint32_t;  // index among the ranks of one host, workers and progress ranks alike

using Backing = ArenaBacking;

// Identifies one shared object for another process of the same host; travels as bytes.
struct ObjectName {
  std::int32_t pid = 0;
  std::int32_t descriptor = -1;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t cookie = 0;  // equal to the object's first 8 bytes, which Os reserves
  std::uint32_t backing = 0;
  std::uint32_t unused = 0;
};
inline constexpr std::uint64_t object_prefix_bytes = 64;  // the part of an object that Os reserves

enum class Limit : std::uint8_t { ram, mount, cgroup, file_size, reservation, records };

// How much more shared memory can be had now, and which limit decides it.
struct MemoryLimits {
  std::uint64_t bytes = 0;
  std::uint64_t used_spare_bytes = 0;  // taken of what no one should have; then `bytes` is 0
  Limit limit = Limit::ram;
  std::string where;                          // the mount or cgroup; empty for ram
  std::uint64_t ram_bytes = 0;                // all of the machine's
  std::uint64_t address_space_bytes = ~0ULL;  // what RLIMIT_AS leaves; bounds a reservation, not pages
  std::uint64_t file_bytes = ~0ULL;           // RLIMIT_FSIZE, the largest object of this process

  bool is_unknown() const { return bytes == ~0ULL; }  // the system did not tell
};

// A set of processors by the system's numbers. It is exchanged as bytes.
using CpuMask = std::bitset<1024>;

struct HostFacts {
  std::string host_name;
  std::uint64_t host_id = 0;
  std::uint64_t shm_device = 0;
  bool has_several_memory_nodes = false;  // the node of a page matters for speed
  CpuMask allowed_cpus;                   // processors that this process may run on
};

struct AddressRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};
// Those in which this build can map at a chosen address. Sanitizers reserve much of the rest.
std::vector<AddressRange> usable_address_ranges();

class Os;

// Owns one open descriptor of its Os.
class Object {
 public:
  Object() = default;
  Object(Os& os, int descriptor, Backing backing) : os_(&os), descriptor_(descriptor), backing_(backing) {}
  Object(Object&& other) noexcept { *this = static_cast<Object&&>(other); }
  Object& operator=(Object&& other) noexcept;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { close(); }

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  Backing backing() const { return backing_; }
  void close();

 private:
  Os* os_ = nullptr;
  int descriptor_ = -1;
  Backing backing_ = Backing::memfd;
};

struct MapOptions {
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  // exactly this address or a Failure; 0: any
  bool dump_core = false;
  std::uint64_t large_from = 0;  // large pages may be used from this offset on
  // These pages exist, and take no fault later where the kernel can map them at once.
  std::uint64_t ready_from = 0;
  std::uint64_t ready_bytes = 0;
};

inline constexpr std::uint32_t any_waiter = 0xffffffffu;    // as a bitset
inline constexpr std::uint32_t every_waiter = 0x7fffffffu;  // as a count
inline constexpr std::uint64_t forever_ns = ~0ULL;

class Os {
 public:
  Os() = default;
  Os(const Os&) = delete;
  Os& operator=(const Os&) = delete;
  virtual ~Os() = default;

  // Objects. A new object has one page, whose prefix holds the cookie. `automatic` takes an object with large
  // pages on touch if they are wanted and the system allows it to this user, else memfd, else posix.
  virtual Result<Object> create_object(Backing backing, bool large_pages = false) = 0;
  virtual Result<ObjectName> name_of(const Object& object) = 0;
  virtual Result<Object> open_object_of(const ObjectName& name) = 0;
  virtual void close_object(int descriptor) = 0;

  // The object has `bytes` after this, and its pages are allocated when they are touched. False: the system
  // does not promise them (a mount or the process limits the object, or memory is never overcommitted).
  virtual bool enable_on_touch(const Object& object, std::uint64_t bytes) = 0;
  // The host memory that the object takes now.
  virtual std::uint64_t resident_bytes(const Object& object) = 0;
  // Pages [offset, offset + bytes) exist after this and can be touched. On failure, the pages granted so far
  // are punched again. The object is never larger than what was granted.
  virtual Status extend(const Object& object, std::uint64_t offset, std::uint64_t bytes) = 0;
  virtual Status punch(const Object& object, std::uint64_t offset, std::uint64_t bytes) = 0;
  // Grants the large pages that lie wholly in [offset, offset + bytes), as far as the system has them. It may
  // grant none and may leave single small pages. extend() grants the rest; a caller that gives up punches the
  // whole range. Returns false if one was refused, so that asking for more is useless at present.
  virtual bool grant_large_pages(const Object& object, std::uint64_t offset, std::uint64_t bytes) = 0;

  virtual Result<std::byte*> map(const Object& object, const MapOptions& options) = 0;
  virtual void unmap(std::byte* base, std::uint64_t bytes) = 0;
  // Forked children do not inherit a mapping unless this is called.
  virtual void inherit_on_fork(std::byte* base, std::uint64_t bytes) = 0;
  // Has the process find these pages of a mapping anew. They keep what they hold.
  virtual void find_pages_anew(std::byte* base, std::uint64_t bytes) = 0;
  virtual std::vector<AddressRange> address_ranges() const = 0;  // the ranges for candidate addresses

  virtual MemoryLimits memory_limits(Backing backing) = 0;

  // Futexes, shared between processes. wait returns false if the time ran out, else true (woken, value
  // differs or interrupted); callers always check their condition again.
  virtual bool wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns,
                    std::uint32_t bitset = any_waiter) = 0;
  virtual void wake(const std::atomic<std::uint32_t>& word, std::uint32_t waiters,
                    std::uint32_t bitset = any_waiter) = 0;

  // Life. A slot is alive while the process that holds it lives, in any pid namespace. The returned object
  // holds the life: closing it, or dying, releases it.
  virtual Result<Object> hold_life(const Object& object, HostSlot slot) = 0;
  virtual bool is_alive(const Object& object, HostSlot slot) = 0;

  virtual HostFacts host_facts() = 0;
  virtual std::int32_t pid() = 0;  // tells a forked child from its parent
  virtual std::uint64_t random_bits() = 0;

  virtual std::uint64_t now_ns() = 0;
  virtual void sleep_ns(std::uint64_t ns) = 0;
  virtual void yield() = 0;
  virtual void set_timer_slack(std::uint64_t ns) = 0;
};

// Executes one pause instruction of a spin loop.
void cpu_relax();

}  // namespace comex::shm
