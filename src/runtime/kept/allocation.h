// Kept memory as its members know it: who has which part and which mirror, and what they own of it.
//
// Made by a collective call, malloc_kept or recover, whose members all know the same. Used by the calls of
// kept memory and by free.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/allocations.h"
#include "runtime/kept/plan.h"
#include "runtime/runtime.h"

namespace comex::runtime {

struct KeptAllocation {
  std::uint32_t wanted_copies = 0;
  std::uint32_t copies = 0;          // fewer where there are not enough hosts any more
  std::vector<std::uint64_t> bytes;  // of each part
  std::vector<Worker> homes;
  std::vector<void*> parts;
  std::vector<Worker> mirror_homes;  // [part * copies + copy]
  std::vector<void*> mirrors;
  std::vector<void*> own_parts;  // extents of this worker
  void* own_mirrors = nullptr;   // one extent; null: none
  std::uint64_t root = 0;        // id of what malloc_kept made, of which recover made this
  std::uint32_t recoveries = 0;  // since malloc_kept
  bool is_whole = false;         // this member knows that all members have made and filled their parts
};

struct KeptOptions {
  const char* call = nullptr;
  int handle = 0;
  const groups::Group& group;
  std::uint64_t id = 0;                   // make_kept chooses it
  std::vector<std::uint32_t> homes = {};  // members
};

// Empty: such memory can be had over this group. Else it says why not, the same on all members.
std::string why_not_kept(const Runtime& runtime, const groups::Group& group, int handle);
std::vector<std::uint32_t> hosts_of(const Runtime& runtime, const groups::Group& group);

// Collective. `made` says what is wanted: the copies, the bytes of all parts and, of memory that is
// recovered, the root and which recovery this is; the id is chosen here. Registers what it makes, and returns
// COMEX_SUCCESS, or the code of the call. After a failure nothing was made, or, where a member has died
// meanwhile, others may have all of it: what was made here stays registered then.
int make_kept(Runtime& runtime, KeptOptions options, const std::shared_ptr<KeptAllocation>& made);

// For any allocation of a group: refuses all operations on the caller's part from here on, and makes sure
// that nothing reads it for its mirrors; then, when no member uses it any more, gives it back. The mirrors
// that the caller has take what is sent to them until then.
void retire_parts(Runtime& runtime, const char* call, const Allocation& allocation);
void release_parts(Runtime& runtime, const Allocation& allocation);

}  // namespace comex::runtime
