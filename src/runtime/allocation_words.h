// The words that the members of a group exchange in malloc, free and create_mutexes, and their meaning.
//
// It is pure. These calls begin with one word from each member and a verdict on the words, so that members
// which allocate while others free, or make mutexes, find out. Small groups gather the words; large groups
// merge verdicts on one word each. If every member frees by its own address and over this very group, the
// verdict is enough. Otherwise the members gather claims: for another member's address, whose allocation only
// the owner can tell, for another group with the same members, and for mistakes. Used by the calls for memory
// and mutexes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace comex::runtime {

class AllocationWord {
 public:
  AllocationWord() = default;
  static AllocationWord allocated(const void* own) {
    return {allocates, reinterpret_cast<std::uint64_t>(own)};
  }
  static constexpr AllocationWord not_allocated() { return {refused, 0}; }
  static AllocationWord frees_nth(std::uint64_t nth) {
    return {frees, nth << kind_bits};
  }  // over the group, from 1
  static AllocationWord frees_nothing() { return frees_nth(0); }
  static AllocationWord frees_by_claim() { return {claims, 0}; }
  static AllocationWord made_mutexes(bool could) { return {could ? mutexes : no_mutexes, 0}; }

  bool is_allocating() const { return kind() == allocates || kind() == refused; }
  bool makes_mutexes() const { return kind() == mutexes || kind() == no_mutexes; }
  bool has_failed() const { return kind() == refused || kind() == no_mutexes; }
  void* address() const { return reinterpret_cast<void*>(bits_); }  // if it allocates; null for 0 bytes
  bool needs_claim() const { return kind() == claims; }
  std::uint64_t nth() const {  // 0 unless the member frees something without a claim
    return kind() == frees ? bits_ >> kind_bits : 0;
  }

 private:
  // in bits that are zero in an address
  enum Kind : std::uint64_t { allocates, refused, frees, claims, mutexes, no_mutexes };
  static constexpr unsigned kind_bits = 3;

  constexpr AllocationWord(Kind kind, std::uint64_t value) : bits_(value | kind) {}
  Kind kind() const { return Kind(bits_ & ((1u << kind_bits) - 1)); }

  std::uint64_t bits_ = 0;
};
static_assert(sizeof(AllocationWord) == 8);

// The result of the words of one or more members. Any grouping gives the same. Travels as bytes.
class AllocationVerdict {
 public:
  AllocationVerdict() = default;  // of no words
  AllocationVerdict(std::size_t member, const AllocationWord& word);
  explicit AllocationVerdict(std::span<const AllocationWord> all);
  void merge(const AllocationVerdict& other);

  // The first member of those that are fewest in doing what they do. None: all do the same.
  struct OddOne {
    std::size_t member;
    const char* does;       // "allocates"
    const char* others_do;  // "free": what most do
  };
  std::optional<OddOne> odd_one() const;
  // The first member that could not allocate or make its mutexes.
  std::optional<std::size_t> failed() const;
  // The allocation over the group that all members which free name; 0 if no member names one. None: claims
  // are needed.
  std::optional<std::uint64_t> same_nth() const;

 private:
  static constexpr std::uint32_t nobody = UINT32_MAX;
  struct Votes {
    std::uint32_t count = 0;
    std::uint32_t first = nobody;
    void merge(const Votes& other);
  };

  std::array<Votes, 3> votes_;  // for allocating, freeing, making mutexes
  std::uint32_t failed_ = nobody;
  std::uint32_t needs_claims_ = 0;
  std::uint64_t nth_ = 0;
};
static_assert(sizeof(AllocationVerdict) == 40 && std::is_trivially_copyable_v<AllocationVerdict>);

// What a member knows about the address it was given.
struct Claim {
  enum Kind : std::uint64_t { nothing, known, unknown, wrong };  // unknown: the owner has to tell
  Kind kind = nothing;
  std::uint64_t id = 0;       // of a known allocation
  std::uint64_t address = 0;  // the given address, known or not
};

// The first member whose claim is a mistake, whatever the owners answer: it is wrong, or about another
// allocation than that of the first member that knows one.
std::optional<std::size_t> first_mistake(std::span<const Claim> claims);
// The id that a member knows; 0: no member knows it.
std::uint64_t known_id(std::span<const Claim> claims);
// The members whose address is unknown and differs from the addresses by which others know the allocation.
std::vector<std::size_t> unanswered(std::span<const Claim> claims);
// The first of those members whose address no owner has. `addresses`: all of the allocation, in any order.
std::optional<std::size_t> first_stranger(std::span<const Claim> claims, std::span<const std::size_t> members,
                                          std::vector<std::uint64_t> addresses);

}  // namespace comex::runtime
