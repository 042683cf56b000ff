#include "pr/setup/placement_hwloc.h"

#include <dlfcn.h>

namespace comex::pr {

HwlocCalls::~HwlocCalls() {
  if (library_ != nullptr) dlclose(library_);
}

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

}  // namespace comex::pr
