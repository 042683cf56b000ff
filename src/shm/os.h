// The only seam to the operating system: shared objects, mappings, futexes, life locks, room, time.
//
// Promises: every call that can fail returns a Failure that carries the call and errno; nothing
// here leaves a name in the file system, so a killed process leaves nothing behind. PosixOs is the
// real one; MemoryOs works inside one process with failures on demand. Both pass one conformance
// suite. Called by everything in shm, by runtime (host facts) and by whoever waits (idle.h).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/status.h"

namespace comex::shm {

using HostSlot = std::uint32_t;  // index among the ranks of one host, workers and progress ranks alike

enum class Backing : std::uint8_t { automatic, memfd, posix };

// Names one shared object for another process of the same host; travels as bytes.
struct ObjectName {
  std::int32_t pid = 0;
  std::int32_t descriptor = -1;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t cookie = 0;  // stands in the object's first 8 bytes, which belong to Os
  std::uint32_t backing = 0;
  std::uint32_t unused = 0;
};
inline constexpr std::uint64_t object_prefix_bytes = 64;  // the part of an object that belongs to Os

enum class Limit : std::uint8_t { ram, mount, cgroup, address_space, file_size, reservation, records };
const char* limit_name(Limit limit);

// How much more shared memory can be had now, and which limit says so.
struct MemoryLimits {
  std::uint64_t bytes = 0;
  Limit limit = Limit::ram;
  std::string where;                          // the mount or cgroup meant, empty for ram
  std::uint64_t ram_bytes = 0;                // all of the machine's
  std::uint64_t address_space_bytes = ~0ULL;  // what RLIMIT_AS leaves; bounds a reservation, not pages
  std::uint64_t file_bytes = ~0ULL;           // where RLIMIT_FSIZE ends an object of this process
};

struct HostFacts {
  std::string host_name;
  std::uint64_t host_id = 0;
  std::uint64_t shm_device = 0;
  std::int32_t pid = 0;
  bool has_several_memory_nodes = false;         // it matters where a page lies
  std::array<std::uint64_t, 16> allowed_cpus{};  // a bit for each processor this process may run on
};

struct AddressRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

class Os;

// Owns one open descriptor of the Os it came from.
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

struct MapWish {
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  // exactly here or a Failure; 0 = anywhere
  bool dump_core = false;
  std::uint64_t large_from = 0;  // large pages are welcome from this offset on
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

  // Objects. A new one is of one page: its prefix holds the cookie. `automatic` takes an object that gives
  // large pages on touch where they are wanted and the system lets this user have one, else memfd, else
  // posix.
  virtual Result<Object> create_object(Backing backing, bool large_pages = false) = 0;
  virtual Result<ObjectName> name_of(const Object& object) = 0;
  virtual Result<Object> open_object_of(const ObjectName& name) = 0;
  virtual void close_object(int descriptor) = 0;

  // The object is `bytes` long after this, and its pages come when they are touched. False: the system does
  // not promise that there (a mount or the process limits the object, or memory is never overcommitted).
  virtual bool let_pages_come(const Object& object, std::uint64_t bytes) = 0;
  // What the object takes of the host's memory now.
  virtual std::uint64_t resident_bytes(const Object& object) = 0;
  // Pages [offset, offset + bytes) exist after this and can be touched; on failure those that were
  // granted on the way are punched again. The object's size is never more than what was granted.
  virtual Status extend(const Object& object, std::uint64_t offset, std::uint64_t bytes) = 0;
  virtual Status punch(const Object& object, std::uint64_t offset, std::uint64_t bytes) = 0;
  // Grants those large pages that lie wholly in [offset, offset + bytes) and that the system has: a favour,
  // which may be none, and may leave single small pages. extend() grants the rest; a caller who gives up
  // punches the whole range. False: one was refused, and more need not be asked for now.
  virtual bool grant_large_pages(const Object& object, std::uint64_t offset, std::uint64_t bytes) = 0;

  virtual Result<std::byte*> map(const Object& object, const MapWish& wish) = 0;
  virtual void unmap(std::byte* base, std::uint64_t bytes) = 0;
  // A mapping is not in forked children unless it is given to them.
  virtual void give_to_children(std::byte* base, std::uint64_t bytes) = 0;
  virtual std::vector<AddressRange> address_ranges() const = 0;  // where candidates may lie

  virtual MemoryLimits room(Backing backing) = 0;

  // Futexes, shared between processes. wait returns false if the time ran out, true otherwise
  // (woken, value differs, interrupted): callers always look again.
  virtual bool wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns,
                    std::uint32_t bitset = any_waiter) = 0;
  virtual void wake(const std::atomic<std::uint32_t>& word, std::uint32_t waiters,
                    std::uint32_t bitset = any_waiter) = 0;

  // Life. A slot is alive while the process that holds it lives, whatever pid namespace it is in.
  // The returned object is the hold: closing it, or dying, lets go.
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

// One pause of a spinning core.
void cpu_relax();

}  // namespace comex::shm
