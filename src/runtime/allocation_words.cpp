#include "runtime/allocation_words.h"

#include <algorithm>
#include <utility>

namespace comex::runtime {
namespace {

std::vector<std::size_t> members_of_kind(std::span<const Claim> claims, Claim::Kind kind) {
  std::vector<std::size_t> members;
  for (std::size_t member = 0; member < claims.size(); ++member) {
    if (claims[member].kind == kind) members.push_back(member);
  }
  return members;
}

// Returns the members whose address is not in the list.
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

AllocationVerdict::AllocationVerdict(std::size_t member, const AllocationWord& word) {
  const auto index = static_cast<std::uint32_t>(member);
  votes_[word.is_allocating() ? 0 : word.makes_mutexes() ? 2 : 1] = {1, index};
  if (word.has_failed()) failed_ = index;
  needs_claims_ = word.needs_claim() ? 1 : 0;
  nth_ = word.nth();
}

AllocationVerdict::AllocationVerdict(std::span<const AllocationWord> all) {
  for (std::size_t member = 0; member < all.size(); ++member) merge({member, all[member]});
}

void AllocationVerdict::Votes::merge(const Votes& other) {
  count += other.count;
  first = std::min(first, other.first);
}

void AllocationVerdict::merge(const AllocationVerdict& other) {
  for (std::size_t i = 0; i < votes_.size(); ++i) votes_[i].merge(other.votes_[i]);
  failed_ = std::min(failed_, other.failed_);
  const bool differs = nth_ != 0 && other.nth_ != 0 && nth_ != other.nth_;
  if (differs || other.needs_claims_ != 0) needs_claims_ = 1;
  nth_ = std::max(nth_, other.nth_);
}

std::optional<AllocationVerdict::OddOne> AllocationVerdict::odd_one() const {
  constexpr std::array singular{"allocates", "frees", "makes mutexes"};
  constexpr std::array plural{"allocate", "free", "make mutexes"};
  std::vector<std::size_t> kinds;
  for (std::size_t i = 0; i < votes_.size(); ++i) {
    if (votes_[i].count != 0) kinds.push_back(i);
  }
  if (kinds.size() < 2) return std::nullopt;
  std::ranges::sort(kinds, {}, [this](std::size_t i) { return std::pair(votes_[i].count, votes_[i].first); });
  return OddOne{votes_[kinds.front()].first, singular[kinds.front()], plural[kinds.back()]};
}

std::optional<std::size_t> AllocationVerdict::failed() const {
  if (failed_ == nobody) return std::nullopt;
  return failed_;
}

std::optional<std::uint64_t> AllocationVerdict::same_nth() const {
  if (needs_claims_ != 0) return std::nullopt;
  return nth_;
}

std::optional<std::size_t> first_mistake(std::span<const Claim> claims) {
  const std::uint64_t id = known_id(claims);
  for (std::size_t member = 0; member < claims.size(); ++member) {
    const Claim& claim = claims[member];
    if (claim.kind == Claim::wrong || (claim.kind == Claim::known && claim.id != id)) return member;
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

std::optional<std::size_t> first_stranger(std::span<const Claim> claims, std::span<const std::size_t> members,
                                          std::vector<std::uint64_t> addresses) {
  const std::vector<std::size_t> strangers = without(claims, members, std::move(addresses));
  if (strangers.empty()) return std::nullopt;
  return strangers.front();
}

}  // namespace comex::runtime
