#include "api/allocation_words.h"

#include <algorithm>

namespace comex::api {
namespace {

std::vector<std::size_t> members_of_kind(std::span<const Claim> claims, Claim::Kind kind) {
  std::vector<std::size_t> members;
  for (std::size_t member = 0; member < claims.size(); ++member) {
    if (claims[member].kind == kind) members.push_back(member);
  }
  return members;
}

// Those of the members whose address is not in the list.
std::vector<std::size_t> without(std::span<const Claim> claims, std::span<const std::size_t> members,
                                 std::vector<std::uint64_t> addresses) {
  std::ranges::sort(addresses);
  std::vector<std::size_t> left;
  for (const std::size_t member : members) {
    if (!std::ranges::binary_search(addresses, claims[member].address)) left.push_back(member);
  }
  return left;
}

}  // namespace

std::optional<std::size_t> odd_one(std::span<const Word> all) {
  const auto is_other = [&](const Word& each) { return each.is_allocating() != all.front().is_allocating(); };
  const auto others = std::ranges::count_if(all, is_other);
  if (others == 0) return std::nullopt;
  if (2 * others >= std::ssize(all)) return 0;
  return static_cast<std::size_t>(std::ranges::find_if(all, is_other) - all.begin());
}

std::optional<std::uint64_t> same_nth(std::span<const Word> all) {
  std::uint64_t named = 0;
  for (const Word& each : all) {
    if (each.needs_claim() || (each.nth() != 0 && named != 0 && each.nth() != named)) return std::nullopt;
    if (each.nth() != 0) named = each.nth();
  }
  return named;
}

std::optional<Mistaken> first_mistake(std::span<const Claim> claims) {
  const std::uint64_t id = known_id(claims);
  for (std::size_t member = 0; member < claims.size(); ++member) {
    const Claim& claim = claims[member];
    if (claim.kind == Claim::wrong) return Mistaken{member, Mistake::no_allocation};
    if (claim.kind == Claim::known && claim.id != id) return Mistaken{member, Mistake::another_allocation};
  }
  return std::nullopt;
}

std::uint64_t known_id(std::span<const Claim> claims) {
  const auto found = std::ranges::find(claims, Claim::known, &Claim::kind);
  return found == claims.end() ? 0 : found->id;
}

std::vector<std::size_t> unanswered(std::span<const Claim> claims) {
  std::vector<std::uint64_t> known;
  for (const std::size_t member : members_of_kind(claims, Claim::known))
    known.push_back(claims[member].address);
  return without(claims, members_of_kind(claims, Claim::unknown), std::move(known));
}

Answered answered(std::span<const std::uint64_t> ids) {
  Answered found;
  for (const std::uint64_t id : ids) {
    if (id == 0) continue;
    found.is_one_of_several |= found.id != 0 && found.id != id;
    if (found.id == 0) found.id = id;
  }
  return found;
}

std::optional<std::size_t> first_stranger(std::span<const Claim> claims, std::span<const std::size_t> members,
                                          std::vector<std::uint64_t> addresses) {
  const std::vector<std::size_t> strangers = without(claims, members, std::move(addresses));
  if (strangers.empty()) return std::nullopt;
  return strangers.front();
}

}  // namespace comex::api
