// The hwloc functions of placement, as a table that is filled from the library at run time.
//
// The types come from <hwloc.h>, so a function that has changed does not compile. hwloc's inline helpers must
// not be used, because they would have to be linked. Used by placement only.
#pragma once

#include <hwloc.h>

#include <span>
#include <string>

namespace comex::pr {

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
  ~HwlocCalls();

  // Opens the library. Empty: all functions are there; otherwise the reason.
  std::string open(std::span<const char* const> library_names);

#define COMEX_HWLOC_MEMBER(name) decltype(&hwloc_##name) name = nullptr;
  COMEX_HWLOC_CALLS(COMEX_HWLOC_MEMBER)
#undef COMEX_HWLOC_MEMBER

 private:
  void* library_ = nullptr;
};

}  // namespace comex::pr
