#include "pr/setup/placement.h"

#include <dlfcn.h>
#include <hwloc.h>

#include <cerrno>
#include <cstring>

namespace comex::pr {

// The functions of hwloc, found in the library at run time. The types come from <hwloc.h>, so a function that
// has changed does not compile. hwloc's inline helpers must not be used: they would have to be linked.
// clang-format off
#define COMEX_HWLOC_CALLS(call)                                                            \
  call(get_api_version)                                                                    \
  call(topology_init) call(topology_destroy) call(topology_load) call(topology_set_synthetic) \
  call(get_nbobjs_by_depth) call(get_obj_by_depth) call(get_type_depth)                    \
  call(get_cpubind) call(set_cpubind) call(set_area_membind)                               \
  call(bitmap_alloc) call(bitmap_free) call(bitmap_set) call(bitmap_isset)
// clang-format on

class HwlocCalls {
 public:
  HwlocCalls() = default;
  HwlocCalls(const HwlocCalls&) = delete;
  HwlocCalls& operator=(const HwlocCalls&) = delete;
  ~HwlocCalls() {
    if (library_ != nullptr) dlclose(library_);
  }

  // Opens the library. Empty: all functions are there; otherwise the reason.
  std::string open(std::span<const char* const> library_names);

#define COMEX_HWLOC_MEMBER(name) decltype(&hwloc_##name) name = nullptr;
  COMEX_HWLOC_CALLS(COMEX_HWLOC_MEMBER)
#undef COMEX_HWLOC_MEMBER

 private:
  void* library_ = nullptr;
};

std::string HwlocCalls::open(std::span<const char* const> library_names) {
  std::string tried;
  for (const char* name : library_names) {
    library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library_ != nullptr) break;
    tried += (tried.empty() ? "" : ", ") + std::string(name);
  }
  if (library_ == nullptr) return "hwloc is not here (tried " + tried + ")";
#define COMEX_HWLOC_FIND(name)                                              \
  name = reinterpret_cast<decltype(name)>(dlsym(library_, "hwloc_" #name)); \
  if (name == nullptr) return "the hwloc library found has no function hwloc_" #name;
  COMEX_HWLOC_CALLS(COMEX_HWLOC_FIND)
#undef COMEX_HWLOC_FIND
  // Structures changed between 1.x and 2.x and will change in 3.x.
  constexpr unsigned major_shift = 16;
  if (get_api_version() >> major_shift != unsigned{HWLOC_API_VERSION} >> major_shift)
    return "the hwloc library found is of another major version than the one built against";
  return {};
}

namespace {

Failure refused(const char* call) {
  return environment_error(std::string(call) + ": " + std::strerror(errno));
}

}  // namespace

// The library and the topology made by it, in this order, so that they are destroyed in the right one.
struct Topology::Loaded {
  HwlocCalls hwloc;
  hwloc_topology_t machine = nullptr;

  Loaded() = default;
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    if (machine != nullptr) hwloc.topology_destroy(machine);
  }

  CpuMask mask_of(hwloc_const_bitmap_t set) const {
    CpuMask mask;
    for (unsigned cpu = 0; cpu < mask.size(); ++cpu) mask[cpu] = hwloc.bitmap_isset(set, cpu) != 0;
    return mask;
  }

  unsigned count(hwloc_obj_type_t type) const {
    return hwloc.get_nbobjs_by_depth(machine, hwloc.get_type_depth(machine, type));
  }

  hwloc_obj_t object(hwloc_obj_type_t type, unsigned index) const {
    return hwloc.get_obj_by_depth(machine, hwloc.get_type_depth(machine, type), index);
  }
};

namespace {

class Bitmap {
 public:
  explicit Bitmap(const HwlocCalls& hwloc) : hwloc_(hwloc), set_(hwloc.bitmap_alloc()) {}
  Bitmap(const Bitmap&) = delete;
  Bitmap& operator=(const Bitmap&) = delete;
  ~Bitmap() { hwloc_.bitmap_free(set_); }

  bool add(unsigned index) { return set_ != nullptr && hwloc_.bitmap_set(set_, index) == 0; }
  hwloc_bitmap_t get() const { return set_; }

 private:
  const HwlocCalls& hwloc_;
  hwloc_bitmap_t set_;
};

}  // namespace

Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;
Topology::~Topology() = default;

Topology Topology::load(std::span<const char* const> library_names, const char* synthetic) {
  Topology topology;
  auto loaded = std::make_unique<Loaded>();
  topology.notice_ = loaded->hwloc.open(library_names);
  if (!topology.notice_.empty()) return topology;
  const HwlocCalls& hwloc = loaded->hwloc;
  const bool ready =
      hwloc.topology_init(&loaded->machine) == 0 &&
      (synthetic == nullptr || hwloc.topology_set_synthetic(loaded->machine, synthetic) == 0) &&
      hwloc.topology_load(loaded->machine) == 0;
  if (!ready) {
    topology.notice_ = std::string("hwloc cannot read this machine: ") + std::strerror(errno);
    return topology;
  }
  topology.loaded_ = std::move(loaded);
  topology.read();
  return topology;
}

void Topology::read() {
  // A machine that hides its cores shows at least its processors.
  const hwloc_obj_type_t core = loaded_->count(HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  for (unsigned i = 0; i < loaded_->count(core); ++i)
    cores_.push_back(loaded_->mask_of(loaded_->object(core, i)->cpuset));
  for (unsigned i = 0; i < loaded_->count(HWLOC_OBJ_NUMANODE); ++i) {
    const hwloc_obj_t node = loaded_->object(HWLOC_OBJ_NUMANODE, i);
    memory_.push_back({node->os_index, node->subtype == nullptr ? "" : node->subtype,
                       node->attr->numanode.local_memory, loaded_->mask_of(node->cpuset)});
  }
}

CpuMask Topology::binding() const {
  if (!loaded_) return {};
  const Bitmap set(loaded_->hwloc);
  if (set.get() == nullptr ||
      loaded_->hwloc.get_cpubind(loaded_->machine, set.get(), HWLOC_CPUBIND_THREAD) != 0)
    return {};
  return loaded_->mask_of(set.get());
}

Status Topology::bind(const CpuMask& cpus) const {
  if (!loaded_) return environment_error(notice_);
  Bitmap set(loaded_->hwloc);
  for (unsigned cpu = 0; cpu < cpus.size(); ++cpu)
    if (cpus[cpu] && !set.add(cpu)) return refused("hwloc_bitmap_set");
  if (loaded_->hwloc.set_cpubind(loaded_->machine, set.get(), HWLOC_CPUBIND_THREAD) != 0)
    return refused("hwloc_set_cpubind");
  return {};
}

Status Topology::set_policy(void* address, std::size_t bytes, std::span<const unsigned> nodes, int policy,
                            int flags) const {
  if (!loaded_) return environment_error(notice_);
  Bitmap set(loaded_->hwloc);
  for (const unsigned node : nodes)
    if (!set.add(node)) return refused("hwloc_bitmap_set");
  if (loaded_->hwloc.set_area_membind(loaded_->machine, address, bytes, set.get(),
                                      static_cast<hwloc_membind_policy_t>(policy),
                                      HWLOC_MEMBIND_BYNODESET | flags) != 0)
    return refused("hwloc_set_area_membind");
  return {};
}

Status Topology::place_memory(void* address, std::size_t bytes, std::span<const unsigned> nodes) const {
  if (nodes.empty()) return {};
  // The pages exist already. Only those that this process has mapped are moved.
  constexpr std::size_t page_bytes = 4096;
  const auto* const bytes_there = static_cast<const volatile std::byte*>(address);
  for (std::size_t at = 0; at < bytes; at += page_bytes) static_cast<void>(bytes_there[at]);
  return set_policy(address, bytes, nodes, HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_MIGRATE);
}

Status Topology::prefer_memory(void* address, std::size_t bytes, std::span<const unsigned> nodes) const {
  return set_policy(address, bytes, nodes, HWLOC_MEMBIND_BIND);  // without _STRICT it is a preference
}

Status Topology::release_memory(void* address, std::size_t bytes) const {
  std::vector<unsigned> nodes;
  for (const MemoryNode& node : memory_) nodes.push_back(node.number);
  return set_policy(address, bytes, nodes, HWLOC_MEMBIND_DEFAULT);
}

std::string Topology::summary() const {
  if (!loaded_) return notice_ + "\n";
  std::string text = counted(loaded_->count(HWLOC_OBJ_PACKAGE), "package") + ", " +
                     counted(loaded_->count(HWLOC_OBJ_CORE), "core") + ", " +
                     counted(loaded_->count(HWLOC_OBJ_PU), "processor") + "\n";
  for (const MemoryNode& node : memory_) {
    text += "memory node " + std::to_string(node.number) + ": " + std::to_string(node.bytes >> 20) + " MiB";
    if (!node.kind.empty()) text += " of " + node.kind;
    text += ", processors " + (node.near_cpus.none() ? std::string("none") : text_of(node.near_cpus)) + "\n";
  }
  const CpuMask bound = binding();
  text +=
      "this process may run on processors " + (bound.none() ? std::string("unknown") : text_of(bound)) + "\n";
  return text;
}

}  // namespace comex::pr
