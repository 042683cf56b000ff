#include "support/memory_os.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "shm/geometry.h"

namespace comex::shm {

struct MemoryOs::Thing {  // one shared object
  std::uint64_t inode = 0;
  std::uint64_t cookie = 0;
  std::vector<bool> granted;  // by page
  bool is_touched = false;    // the other pages are allocated when they are touched
  std::byte* base = nullptr;
  std::uint64_t mapped_bytes = 0;
  unsigned mappings = 0;
  std::multiset<HostSlot> lives;

  Thing() = default;
  Thing(const Thing&) = delete;
  Thing& operator=(const Thing&) = delete;
  ~Thing() { let_go(base, mapped_bytes); }

  static void let_go(std::byte* from, std::uint64_t bytes) {
    if (from != nullptr) munmap(from, bytes);
  }

  // The memory of one process cannot be at two addresses, but it may move between mappings.
  bool move_to(std::byte* asked, std::uint64_t bytes) {
    void* const mapped = mmap(asked, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return false;
    if (asked != nullptr && mapped != asked) {
      munmap(mapped, bytes);
      return false;
    }
    std::byte* const to = static_cast<std::byte*>(mapped);
    if (is_touched) mprotect(to, bytes, PROT_READ | PROT_WRITE);
    const std::vector<bool> is_there = is_touched ? touched() : granted;
    for (std::uint64_t page = 0; page < is_there.size(); ++page) {
      if (!is_there[page]) continue;
      mprotect(to + page * page_bytes, page_bytes, PROT_READ | PROT_WRITE);
      if (base != nullptr) std::memcpy(to + page * page_bytes, base + page * page_bytes, page_bytes);
    }
    let_go(std::exchange(base, to), std::exchange(mapped_bytes, bytes));
    return true;
  }

  // Returns the pages that were granted or touched.
  std::vector<bool> touched() const {
    std::vector<unsigned char> residency(mapped_bytes / page_bytes);
    std::vector<bool> pages = granted;
    if (base == nullptr || mincore(base, mapped_bytes, residency.data()) != 0) return pages;
    pages.resize(residency.size());
    for (std::size_t page = 0; page < residency.size(); ++page) {
      if ((residency[page] & 1u) != 0) pages[page] = true;
    }
    return pages;
  }
  std::uint64_t taken_bytes() const {
    const std::vector<bool> pages = is_touched ? touched() : granted;
    return static_cast<std::uint64_t>(std::count(pages.begin(), pages.end(), true)) * page_bytes;
  }
};

struct MemoryOs::Opened {
  std::shared_ptr<Thing> thing;
  bool holds_life = false;
  HostSlot slot = 0;
};

struct MemoryOs::Sleeper {
  const void* word = nullptr;
  std::uint32_t bitset = 0;
  bool is_woken = false;
};

struct MemoryOs::Body {
  mutable std::mutex mutex;
  std::condition_variable woken;
  std::list<Sleeper*> sleepers;
  std::map<int, Opened> opened;
  int next_descriptor = 1;
  std::uint64_t next_inode = 1;
  std::uint64_t granted_pages = 0;
  std::uint64_t large_pages = 0;
  std::uint64_t refused_large_pages = 0;
  unsigned limits_read = 0;

  // The bytes of all objects together.
  std::uint64_t taken_bytes() const {
    std::set<const Thing*> seen;
    std::uint64_t bytes = 0;
    for (const auto& [descriptor, entry] : opened) {
      if (seen.insert(entry.thing.get()).second) bytes += entry.thing->taken_bytes();
    }
    return bytes;
  }
  std::shared_ptr<Thing> thing_of(int descriptor) const {
    const auto found = opened.find(descriptor);
    return found == opened.end() ? nullptr : found->second.thing;
  }
  int open(Opened entry) {
    opened.emplace(next_descriptor, std::move(entry));
    return next_descriptor++;
  }
};

MemoryOs::MemoryOs() : body_(std::make_unique<Body>()) {}
MemoryOs::~MemoryOs() = default;

std::uint64_t MemoryOs::granted_bytes() const {
  const std::scoped_lock lock(body_->mutex);
  return body_->granted_pages * page_bytes;
}

std::uint64_t MemoryOs::large_pages_granted() const {
  const std::scoped_lock lock(body_->mutex);
  return body_->large_pages;
}

std::uint64_t MemoryOs::large_pages_refused() const {
  const std::scoped_lock lock(body_->mutex);
  return body_->refused_large_pages;
}

void MemoryOs::kill_slot(HostSlot slot) {
  const std::scoped_lock lock(body_->mutex);
  for (auto& [descriptor, entry] : body_->opened) {
    if (!entry.holds_life || entry.slot != slot) continue;
    entry.thing->lives.erase(slot);
    entry.holds_life = false;
  }
}

unsigned MemoryOs::limits_read() const {
  const std::scoped_lock lock(body_->mutex);
  return body_->limits_read;
}

Result<Object> MemoryOs::create_object(Backing backing, bool) {
  auto thing = std::make_shared<Thing>();
  thing->cookie = random_bits();
  int descriptor = 0;
  {
    const std::scoped_lock lock(body_->mutex);
    thing->inode = body_->next_inode++;
    descriptor = body_->open({thing});
  }
  Object object(*this, descriptor, backing == Backing::automatic ? Backing::memfd : backing);
  if (Status grown = extend(object, 0, page_bytes); !grown) return grown.take_failure();
  return object;
}

Result<ObjectName> MemoryOs::name_of(const Object& object) {
  const std::scoped_lock lock(body_->mutex);
  const auto thing = body_->thing_of(object.descriptor());
  if (!thing) return environment_error("name_of: no such object");
  ObjectName name;
  name.pid = 1;
  name.descriptor = object.descriptor();
  name.device = 1;
  name.inode = thing->inode;
  name.cookie = thing->cookie;
  name.backing = static_cast<std::uint32_t>(object.backing());
  return name;
}

Result<Object> MemoryOs::open_object_of(const ObjectName& name) {
  const std::scoped_lock lock(body_->mutex);
  const auto thing = body_->thing_of(name.descriptor);
  if (faults.refuse_attach || !thing) return environment_error("open_object_of: refused (errno 13)");
  if (name.device != 1 || name.inode != thing->inode || name.cookie != thing->cookie) {
    return environment_error("open_object_of: it is not the arena's object");
  }
  return Object(*this, body_->open({thing}), static_cast<Backing>(name.backing));
}

void MemoryOs::close_object(int descriptor) {
  const std::scoped_lock lock(body_->mutex);
  const auto found = body_->opened.find(descriptor);
  if (found == body_->opened.end()) return;
  Opened& entry = found->second;
  if (entry.holds_life) entry.thing->lives.erase(entry.thing->lives.find(entry.slot));
  body_->opened.erase(found);
}

bool MemoryOs::enable_on_touch(const Object& object, std::uint64_t bytes) {
  const std::scoped_lock lock(body_->mutex);
  const auto thing = body_->thing_of(object.descriptor());
  if (faults.refuse_touch || object.backing() == Backing::posix || bytes > faults.file_bytes) return false;
  thing->is_touched = true;
  if (thing->base != nullptr) mprotect(thing->base, thing->mapped_bytes, PROT_READ | PROT_WRITE);
  return true;
}

std::uint64_t MemoryOs::resident_bytes(const Object& object) {
  const std::scoped_lock lock(body_->mutex);
  return body_->thing_of(object.descriptor())->taken_bytes();
}

Status MemoryOs::extend(const Object& object, std::uint64_t offset, std::uint64_t bytes) {
  const std::scoped_lock lock(body_->mutex);
  const auto thing = body_->thing_of(object.descriptor());
  if (offset + bytes > faults.file_bytes) return environment_error("extend: file too large (errno 27)");
  const std::uint64_t first = offset / page_bytes;
  const std::uint64_t end = (offset + bytes + page_bytes - 1) / page_bytes;
  if (thing->granted.size() < end) thing->granted.resize(end);
  const auto begin = thing->granted.begin();
  const auto fresh = static_cast<std::uint64_t>(std::count(begin + static_cast<std::ptrdiff_t>(first),
                                                           begin + static_cast<std::ptrdiff_t>(end), false));
  const std::uint64_t after = (body_->granted_pages + fresh) * page_bytes;
  if (after > std::min(faults.limit_bytes, faults.hidden_bytes)) {
    return environment_error("extend of " + std::to_string(bytes) + " bytes: no space left (errno 28)");
  }
  body_->granted_pages += fresh;
  std::fill(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end), true);
  if (thing->base != nullptr) {
    mprotect(thing->base + first * page_bytes, (end - first) * page_bytes, PROT_READ | PROT_WRITE);
  }
  return {};
}

Status MemoryOs::punch(const Object& object, std::uint64_t offset, std::uint64_t bytes) {
  const std::scoped_lock lock(body_->mutex);
  const auto thing = body_->thing_of(object.descriptor());
  const std::uint64_t end = std::min<std::uint64_t>((offset + bytes) / page_bytes, thing->granted.size());
  if (thing->is_touched && thing->base != nullptr) madvise(thing->base + offset, bytes, MADV_DONTNEED);
  for (std::uint64_t page = offset / page_bytes; page < end; ++page) {
    if (!thing->granted[page]) continue;
    thing->granted[page] = false;
    --body_->granted_pages;
    if (thing->base == nullptr) continue;
    madvise(thing->base + page * page_bytes, page_bytes, MADV_DONTNEED);
    if (!thing->is_touched) mprotect(thing->base + page * page_bytes, page_bytes, PROT_NONE);
  }
  return {};
}

bool MemoryOs::grant_large_pages(const Object& object, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t large = faults.large_page_bytes;
  if (large == 0) return false;
  for (std::uint64_t page = round_up(offset, large); page + large <= offset + bytes; page += large) {
    const bool is_made = large_pages_granted() < faults.most_large_pages && extend(object, page, large);
    if (!is_made) static_cast<void>(extend(object, page, page_bytes));  // a kernel leaves such a page behind
    const std::scoped_lock lock(body_->mutex);
    ++(is_made ? body_->large_pages : body_->refused_large_pages);
    if (!is_made) return false;
  }
  return true;
}

Result<std::byte*> MemoryOs::map(const Object& object, const MapOptions& options) {
  const std::scoped_lock lock(body_->mutex);
  const auto thing = body_->thing_of(object.descriptor());
  const bool is_refused = std::find(faults.refused_addresses.begin(), faults.refused_addresses.end(),
                                    options.address) != faults.refused_addresses.end();
  const auto asked = reinterpret_cast<std::byte*>(options.address);
  if (is_refused || (thing->mappings > 0 && asked != nullptr && asked != thing->base)) {
    return environment_error("map: the address asked for is taken (errno 17)");
  }
  const bool stays = thing->base != nullptr && (asked == nullptr || asked == thing->base);
  if (!stays && !thing->move_to(asked, options.bytes)) {
    return environment_error("map: the address asked for is taken (errno 17)");
  }
  ++thing->mappings;
  return thing->base;
}

void MemoryOs::unmap(std::byte* base, std::uint64_t) {
  const std::scoped_lock lock(body_->mutex);
  for (auto& [descriptor, entry] : body_->opened) {
    Thing& thing = *entry.thing;
    if (thing.base != base || thing.mappings == 0) continue;
    --thing.mappings;  // the contents must still be there when the object is mapped again
    return;
  }
}

std::vector<AddressRange> MemoryOs::address_ranges() const {
  return usable_address_ranges();
}

MemoryLimits MemoryOs::memory_limits(Backing) {
  MemoryLimits limits;
  const std::scoped_lock lock(body_->mutex);
  ++body_->limits_read;
  const std::uint64_t taken = body_->taken_bytes();
  limits.bytes = faults.limit_bytes > taken ? faults.limit_bytes - taken : 0;
  limits.used_spare_bytes = faults.used_spare_bytes;
  limits.limit = faults.limit;
  limits.ram_bytes = faults.ram_bytes;
  limits.file_bytes = faults.file_bytes;
  limits.address_space_bytes = faults.address_space_bytes;
  return limits;
}

bool MemoryOs::wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns,
                    std::uint32_t bitset) {
  std::unique_lock lock(body_->mutex);
  if (word.load() != expected) return true;
  Sleeper sleeper{&word, bitset};
  const auto place = body_->sleepers.insert(body_->sleepers.end(), &sleeper);
  const auto is_woken = [&sleeper] { return sleeper.is_woken; };
  if (timeout_ns == forever_ns) {
    body_->woken.wait(lock, is_woken);
  } else {
    body_->woken.wait_for(lock, std::chrono::nanoseconds(timeout_ns), is_woken);
  }
  body_->sleepers.erase(place);
  return sleeper.is_woken;
}

void MemoryOs::wake(const std::atomic<std::uint32_t>& word, std::uint32_t waiters, std::uint32_t bitset) {
  const std::scoped_lock lock(body_->mutex);
  for (Sleeper* sleeper : body_->sleepers) {
    if (waiters == 0) break;
    if (sleeper->word != &word || (sleeper->bitset & bitset) == 0 || sleeper->is_woken) continue;
    sleeper->is_woken = true;
    --waiters;
  }
  body_->woken.notify_all();
}

Result<Object> MemoryOs::hold_life(const Object& object, HostSlot slot) {
  const std::scoped_lock lock(body_->mutex);
  const auto thing = body_->thing_of(object.descriptor());
  if (thing->lives.count(slot) != 0) {
    return environment_error("life lock of host slot " + std::to_string(slot) + ": it is held (errno 11)");
  }
  thing->lives.insert(slot);
  return Object(*this, body_->open({thing, true, slot}), object.backing());
}

bool MemoryOs::is_alive(const Object& object, HostSlot slot) {
  const std::scoped_lock lock(body_->mutex);
  return body_->thing_of(object.descriptor())->lives.count(slot) != 0;
}

HostFacts MemoryOs::host_facts() {
  HostFacts facts;
  facts.host_name = "memory";
  facts.host_id = 1;
  facts.shm_device = 1;
  facts.allowed_cpus[0] = true;
  return facts;
}

std::int32_t MemoryOs::pid() {
  return 1;
}

std::uint64_t MemoryOs::random_bits() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

std::uint64_t MemoryOs::now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

void MemoryOs::sleep_ns(std::uint64_t ns) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}
void MemoryOs::yield() {
  std::this_thread::yield();
}
void MemoryOs::set_timer_slack(std::uint64_t) {}

}  // namespace comex::shm
