// How the members of a group check and continue a collective call that makes groups together, or fail
// together.
//
// If one member has a complaint, the call fails on all: that member reports it, the others return the code.
// The same happens if members of other worlds are lost, since the results of collectives are then invalid.
// Used by the calls that make groups.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/exchange.h"
#include "runtime/runtime.h"

namespace comex::worlds {

// Ends a step after one of the group's collectives. Returns true on all members or on none: nobody is wrong
// and nobody is lost. Otherwise it has been reported, by the member that is wrong, with its `complaint`; an
// empty complaint means that another member is wrong.
bool all_go_on(runtime::Runtime& runtime, const char* operation, int handle, bool somebody_is_wrong,
               const std::string& complaint);

// Returns everybody's value, or nothing if a member has a complaint or is lost.
template <class T>
std::vector<T> agree(runtime::Runtime& runtime, const char* operation, int handle, const T& mine,
                     const std::string& complaint) {
  struct Contribution {
    T brought;
    std::uint64_t is_wrong;
  };
  const std::vector<Contribution> given =
      runtime::gather(*runtime.extras(handle).collective, Contribution{mine, complaint.empty() ? 0U : 1U});
  const bool somebody_is_wrong =
      std::ranges::any_of(given, [](const Contribution& each) { return each.is_wrong != 0; });
  if (!all_go_on(runtime, operation, handle, somebody_is_wrong, complaint)) return {};
  std::vector<T> all;
  for (const Contribution& each : given) all.push_back(each.brought);
  return all;
}

// The code of a call over this group that did not go on: COMEX_PROC_FAILED if a member has died.
int code_of_failure(runtime::Runtime& runtime, int handle);

// For calls whose ranks are those of the caller's side. Empty: the group has only one side.
std::string why_two_sided(const groups::Group& group, int handle);

// Collective over a group that is neither an inter-group nor one of endpoints. COMEX_SUCCESS if all pass the
// same root in the group, which texts call `role`, and a place for the result; otherwise all fail, and each
// returns the code: COMEX_FAILURE, which has been reported, or COMEX_PROC_FAILED if a member has died.
int check_all_meet(runtime::Runtime& runtime, const char* operation, int handle, int root, const void* place,
                   const std::string& role = "root");

// True if every member of the parent has its handles and is here: what follows needs nobody's service.
// Otherwise nobody keeps any. -1 in `made`: no handle was left.
bool all_have(runtime::Runtime& runtime, const char* operation, int parent, std::span<const int> made);

}  // namespace comex::worlds
