// An Os inside one process, for tests. Objects are anonymous memory, touching a page that was never granted
// is a fault, and failures happen on demand. An object has one mapping address per MemoryOs.
#pragma once

#include <atomic>
#include <memory>

#include "shm/os.h"

namespace comex::shm {

// The conditions that a MemoryOs simulates. Tests may change MemoryOs::faults at any time.
struct MemoryFaults {
  std::uint64_t limit_bytes = ~0ULL;  // bytes that may be granted in all
  std::uint64_t hidden_bytes =
      ~0ULL;  // like limit_bytes, but memory_limits() does not know it: extend is refused
  std::uint64_t file_bytes = ~0ULL;              // largest length of an object
  std::uint64_t used_spare_bytes = 0;            // as memory_limits() tells it
  Limit limit = Limit::ram;                      // the limit that limit_bytes stands for
  std::vector<std::uint64_t> refused_addresses;  // map at one of these addresses fails
  bool refuse_attach = false;                    // open_object_of fails
  bool refuse_touch = false;                     // enable_on_touch fails
  std::uint64_t ram_bytes = 1ULL << 32;
  std::uint64_t address_space_bytes = ~0ULL;
  std::uint64_t large_page_bytes = 0;      // 0: there are no large pages
  std::uint64_t most_large_pages = ~0ULL;  // total number that is granted; later requests are refused
};

class MemoryOs : public Os {
 public:
  MemoryOs();
  ~MemoryOs() override;

  MemoryFaults faults;
  std::uint64_t found_anew_bytes = 0;  // by find_pages_anew()
  std::uint64_t granted_bytes() const;
  std::uint64_t large_pages_granted() const;  // in total
  std::uint64_t large_pages_refused() const;
  unsigned limits_read() const;   // number of calls of memory_limits()
  void kill_slot(HostSlot slot);  // releases its life holds, as if the process had died

  Result<Object> create_object(Backing backing, bool large_pages = false) override;
  Result<ObjectName> name_of(const Object& object) override;
  Result<Object> open_object_of(const ObjectName& name) override;
  void close_object(int descriptor) override;
  bool enable_on_touch(const Object& object, std::uint64_t bytes) override;
  std::uint64_t resident_bytes(const Object& object) override;
  Status extend(const Object& object, std::uint64_t offset, std::uint64_t bytes) override;
  Status punch(const Object& object, std::uint64_t offset, std::uint64_t bytes) override;
  bool grant_large_pages(const Object& object, std::uint64_t offset, std::uint64_t bytes) override;
  Result<std::byte*> map(const Object& object, const MapOptions& options) override;
  void unmap(std::byte* base, std::uint64_t bytes) override;
  void inherit_on_fork(std::byte*, std::uint64_t) override {}
  void find_pages_anew(std::byte*, std::uint64_t bytes) override { found_anew_bytes += bytes; }
  std::vector<AddressRange> address_ranges() const override;
  MemoryLimits memory_limits(Backing backing) override;
  bool wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns,
            std::uint32_t bitset) override;
  void wake(const std::atomic<std::uint32_t>& word, std::uint32_t waiters, std::uint32_t bitset) override;
  Result<Object> hold_life(const Object& object, HostSlot slot) override;
  bool is_alive(const Object& object, HostSlot slot) override;
  HostFacts host_facts() override;
  std::int32_t pid() override;
  std::uint64_t random_bits() override;
  std::uint64_t now_ns() override;
  void sleep_ns(std::uint64_t ns) override;
  void yield() override;
  void set_timer_slack(std::uint64_t ns) override;

 private:
  struct Thing;
  struct Opened;
  struct Sleeper;
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace comex::shm
