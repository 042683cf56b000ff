// Who is refused for the arguments of a call that makes a group tells those who may wait for it there, and
// what list that was.
//
// A list that is refused has an entry that is wrong. Who waits with a list of the same length, the same but
// for the place of that entry, knows that the call was meant for it; else it may have been about others, and
// is doubted. A standing like any other (standing.h). Used by the calls that take lists, and by hearsay.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "worlds/agreement/trouble.h"

namespace comex::worlds {

struct ListedMember {
  Gpid gpid;
  std::uint32_t endpoint = groups::process_itself;
  friend auto operator<=>(const ListedMember&, const ListedMember&) = default;
};

// What is known of a list that was refused. Travels as bytes.
struct RefusedList {
  ListText text = {};        // empty: it could not be read
  std::uint64_t digest = 0;  // of all but the wrong entry; 0: there are others that name nobody
  std::uint64_t wrong = 0;   // the place of that

  bool was_meant_as(std::span<const ListedMember> list) const;
};

// A list as it was read.
class ReadList {
 public:
  void add(const ListedMember& member);
  void add_nobody(std::string text);  // an entry that names none
  RefusedList refused() const;

 private:
  void note_wrong();

  std::vector<std::string> texts_;
  std::vector<ListedMember> members_;
  std::set<ListedMember> seen_;
  std::size_t wrong_ = 0;  // the first that names nobody, or somebody again
  bool has_wrong_ = false;
  bool has_more_ = false;
};
RefusedList refused_lpids(const runtime::Runtime& runtime, std::span<const Lpid> lpids);
RefusedList refused_ranks(const runtime::Runtime& runtime, const groups::Group& parent,
                          std::span<const int> ranks);

// Those who wait for the caller in a group to be made from the parent learn it.
void tell_of_refusal(runtime::Runtime& runtime, const groups::Group& parent, const RefusedList& list);
// The same for everybody whom it can reach.
void tell_of_refusal(runtime::Runtime& runtime, const RefusedList& list);

}  // namespace comex::worlds
