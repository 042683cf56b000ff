#include "groups/compare.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace comex::groups {
namespace {

using Member = std::pair<Lpid, std::uint32_t>;

Member member(const GroupSide& side, std::uint32_t rank) {
  return {side.members.lpid(rank), side.endpoints.of(rank)};
}

std::vector<Member> in_order(const GroupSide& side) {
  std::vector<Member> members;
  members.reserve(side.members.size());
  for (std::uint32_t rank = 0; rank < side.members.size(); ++rank) members.push_back(member(side, rank));
  std::ranges::sort(members);
  return members;
}

}  // namespace

Relation relation(const GroupSide& one, const GroupSide& other) {
  if (one.members.size() != other.members.size()) return Relation::unequal;
  std::uint32_t rank = 0;
  while (rank < one.members.size() && member(one, rank) == member(other, rank)) ++rank;
  if (rank == one.members.size()) return Relation::identical;
  return in_order(one) == in_order(other) ? Relation::similar : Relation::unequal;
}

Relation relation(const Group& one, const Group& other) {
  if (one.is_inter() != other.is_inter()) return Relation::unequal;
  const Relation local = relation({one.members(), one.endpoints()}, {other.members(), other.endpoints()});
  if (!one.is_inter()) return local;
  const Endpoints none;
  return std::max(local, relation({one.targets(), none}, {other.targets(), none}));
}

int counterpart(const GroupSide& side, std::uint32_t rank, const GroupSide& other) {
  const int lowest = other.members.rank_of(side.members.lpid(rank));
  if (lowest < 0 || !side.endpoints || !other.endpoints) return lowest;
  const Member wanted = member(side, rank);
  for (std::uint32_t each = 0; each < other.members.size(); ++each) {
    if (member(other, each) == wanted) return static_cast<int>(each);
  }
  return -1;
}

bool same_context(const Group& one, const Group& other) {
  return one.context() == other.context() && one.bridge() == other.bridge();
}

bool same_endpoint(const Group& one, const Group& other) {
  return one.my_endpoint() == other.my_endpoint();
}

int compare(const Group& one, const Group& other, Detail detail) {
  const int alias = same_endpoint(one, other) ? 0 : alias_bit;
  if (same_context(one, other)) return alias;
  const Relation found = relation(one, other);
  const int base = found == Relation::identical ? congruent : static_cast<int>(found);
  return detail == Detail::basic ? base : base | alias;
}

}  // namespace comex::groups
