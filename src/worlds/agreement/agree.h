// How the members of a group go on together with a collective call that makes groups, or fail together.
//
// What one of them has to complain of fails the call on all: that one says so, the others return the code.
// So does the loss of members of other worlds, which ends collectives with results that mean nothing. Used by
// the calls that make groups.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/runtime.h"

namespace comex::worlds {

// One block of every member, in the order of everybody(): of both sides in an inter-group.
template <class T>
std::vector<T> gather_from(op::GroupCollective& all, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> values(all.size());
  all.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(values)));
  return values;
}

// The same end of a call on all of a group, after a collective of theirs: true where nobody is wrong and
// nobody is lost. Else it has been reported, by who is wrong with `complaint`; empty: somebody else is.
bool all_go_on(runtime::Runtime& runtime, const char* operation, int handle, bool somebody_is_wrong,
               const std::string& complaint);

// What everybody brought, or nothing where somebody has a complaint or is lost.
template <class T>
std::vector<T> agree(runtime::Runtime& runtime, const char* operation, int handle, const T& mine,
                     const std::string& complaint) {
  struct Said {
    T brought;
    std::uint64_t is_wrong;
  };
  const std::vector<Said> said =
      gather_from(*runtime.extras(handle).collective, Said{mine, complaint.empty() ? 0U : 1U});
  const bool somebody_is_wrong =
      std::ranges::any_of(said, [](const Said& each) { return each.is_wrong != 0; });
  if (!all_go_on(runtime, operation, handle, somebody_is_wrong, complaint)) return {};
  std::vector<T> all;
  for (const Said& each : said) all.push_back(each.brought);
  return all;
}

// True when every member of the parent has its handles, and is here: what follows needs nobody's service.
// Else nobody keeps any. -1: no handle was left.
bool all_have(runtime::Runtime& runtime, const char* operation, int parent, std::span<const int> made);

}  // namespace comex::worlds
